import type { ErrorCode, ItemErrorCode, RequestErrorCode } from '#domain/app-error.ts';

/** Codes that exist only in HTTP. */
export const HTTP_ERROR_CODES = ['method_not_allowed', 'request_timeout'] as const;
export type HttpErrorCode = (typeof HTTP_ERROR_CODES)[number];

const REQUEST_STATUS: Record<RequestErrorCode | HttpErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  idempotency_conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal: 500,
  dependency_unavailable: 503,
};

/** Statuses of item errors that fail a whole request, where the item is the request. All others are the fault of the input. */
const ITEM_STATUS: Partial<Record<ItemErrorCode, number>> = {
  file_too_large: 413,
  too_many_items: 413,
  download_too_large: 413,
  unsupported_type: 415,
  type_mismatch: 415,
  blob_missing: 404,
  superseded: 409,
  terminated: 409,
};
const DEFAULT_ITEM_STATUS = 422;

/** Returns the HTTP status of an error code. */
export function errorStatus(code: ErrorCode | HttpErrorCode): number {
  return isRequestCode(code) ? REQUEST_STATUS[code] : (ITEM_STATUS[code] ?? DEFAULT_ITEM_STATUS);
}

function isRequestCode(code: ErrorCode | HttpErrorCode): code is RequestErrorCode | HttpErrorCode {
  return Object.hasOwn(REQUEST_STATUS, code);
}
