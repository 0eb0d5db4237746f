// Code that verifies a delivery, to copy into a receiver. It is the code of docs/webhooks.md; a test compares the two.

export interface Verifier {
  readonly language: 'Node' | 'Python' | 'PHP';
  readonly use: string;
  readonly code: string;
}

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`headers\` is Node's request.headers; \`body\` is the raw body, a string or Buffer. */
export function isGenuine(secret, headers, body) {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= 300)) return false;
  const hmac = createHmac('sha256', key).update(\`\${id}.\${seconds}.\`).update(body);
  const expected = Buffer.from(\`v1,\${hmac.digest('base64')}\`);
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

const PYTHON = `import base64, hashlib, hmac, re, time

def is_genuine(secret: str, headers, body: bytes) -> bool:
    """\`headers\` must ignore the case of names, as in most frameworks; \`body\` is the raw body."""
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    id, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", seconds) or abs(time.time() - int(seconds)) > 300:
        return False
    digest = hmac.new(key, f"{id}.{seconds}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)
`;

const PHP = `/** \`$server\` is $_SERVER; \`$body\` is file_get_contents('php://input'). */
function isGenuine(string $secret, array $server, string $body): bool
{
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $seconds = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($seconds) || abs(time() - (int) $seconds) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$seconds.$body", $key, true));
    foreach (explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}
`;

export const VERIFIERS: readonly Verifier[] = [
  { language: 'Node', use: 'Call it with request.headers and the raw body, before you parse the body.', code: NODE },
  {
    language: 'Python',
    use: 'Call it with the headers of the request and the raw body as bytes, before you parse the body.',
    code: PYTHON,
  },
  {
    language: 'PHP',
    use: "Call it with $_SERVER and file_get_contents('php://input'), before you parse the body.",
    code: PHP,
  },
];
