import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { printableFields, type LogFields } from './log-fields.ts';
import { redactSecrets } from './redact-secrets.ts';
import { currentTrace } from './current-trace.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = {
  (message: string): void;
  (fields: LogFields, message: string): void;
};

/**
 * A structured log. Only the fields of `LogFields` are printed. The message says what happened; values belong in fields,
 * never in the message.
 */
export type Log = {
  readonly level: LogLevel;
  readonly fatal: Write;
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly debug: Write;
  readonly trace: Write;
  /** Returns a log that adds these fields to every line, for example the request id. */
  child(fields: LogFields): Log;
};

export type LogOptions = {
  level: LogLevel;
  /** The process: `api`, `worker` or `stack`. */
  service: string;
  /** Where lines go; standard output by default. */
  destination?: DestinationStream;
};

/** Creates the log of a process: one JSON object per line, with the time in ISO 8601 UTC, and within a trace with its ids. */
export function createLog(options: LogOptions): Log {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => currentTrace() ?? {},
    formatters: { level: (label: string) => ({ level: label }) },
    messageKey: 'message',
  };
  const { level } = options;
  return wrap(options.destination === undefined ? pino(settings) : pino(settings, options.destination), level);
}

/** A log that prints nothing, for tests. */
export function createSilentLog(): Log {
  return createLog({ level: 'silent', service: 'test' });
}

function wrap(logger: Logger, level: LogLevel): Log {
  return {
    level,
    fatal: writerOf(logger, 'fatal'),
    error: writerOf(logger, 'error'),
    warn: writerOf(logger, 'warn'),
    info: writerOf(logger, 'info'),
    debug: writerOf(logger, 'debug'),
    trace: writerOf(logger, 'trace'),
    child: (fields) => wrap(logger.child(printableFields(fields)), level),
  };
}

function writerOf(logger: Logger, level: Exclude<LogLevel, 'silent'>): Write {
  return (fieldsOrMessage: LogFields | string, message?: string) => {
    if (!logger.isLevelEnabled(level)) return;
    if (typeof fieldsOrMessage === 'string') logger[level](redactSecrets(fieldsOrMessage));
    else logger[level](printableFields(fieldsOrMessage), redactSecrets(message ?? ''));
  };
}
