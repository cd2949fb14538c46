import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { printableFields, type LogFields } from './log-fields.ts';
import { redactSecrets } from './redact-secrets.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = {
  (message: string): void;
  (fields: LogFields, message: string): void;
};

/**
 * Structured log. Only the fields of `LogFields` are printed; say what happened in the message and with what in the fields,
 * never build values into the message.
 */
export type Log = {
  readonly level: LogLevel;
  readonly fatal: Write;
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly debug: Write;
  readonly trace: Write;
  /** A log that adds these fields to every line, e.g. the request id. */
  child(fields: LogFields): Log;
};

export type LogOptions = {
  level: LogLevel;
  /** Which process speaks: `api`, `worker`, `stack`. */
  service: string;
  /** Where lines go; standard output by default. */
  destination?: DestinationStream;
};

/** Makes the log of a process: one JSON object a line, time as ISO 8601 UTC. */
export function createLog(options: LogOptions): Log {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
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
