/** Answers have this as the only custom header of a webhook whose secrets cannot be read. It is not a valid header name. */
export const UNREADABLE_HEADERS = '(unreadable: its master key is missing)';
