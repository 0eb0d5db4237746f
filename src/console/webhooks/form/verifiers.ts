// Code that verifies a delivery, to copy into a receiver. It is the code of docs/webhooks.md; a test compares the two.

export interface Verifier {
  readonly language: 'Node' | 'Python' | 'PHP' | 'Go' | 'Java';
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

const GO = `import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsGenuine takes the headers of the request and its raw body.
func IsGenuine(secret string, header http.Header, body []byte) bool {
	key, err := []byte(secret), error(nil)
	if strings.HasPrefix(secret, "whsec_") {
		key, err = base64.StdEncoding.DecodeString(secret[6:])
	}
	id, seconds := header.Get("webhook-id"), header.Get("webhook-timestamp")
	sent, wrong := strconv.ParseUint(seconds, 10, 40)
	age := time.Now().Unix() - int64(sent)
	if err != nil || wrong != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}
`;

const JAVA = `import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Deliveries {
  /** \`header\` returns a header by its name, or null, such as request::getHeader; \`body\` is the raw body. */
  static boolean isGenuine(String secret, UnaryOperator<String> header, byte[] body) throws GeneralSecurityException {
    byte[] key = secret.startsWith("whsec_") ? Base64.getDecoder().decode(secret.substring(6)) : bytes(secret);
    String id = header.apply("webhook-id");
    String seconds = header.apply("webhook-timestamp");
    String signatures = header.apply("webhook-signature");
    if (id == null || seconds == null || signatures == null || !seconds.matches("[0-9]{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(seconds)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update(bytes(id + "." + seconds + "."));
    byte[] expected = bytes("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body)));
    for (String given : signatures.split(" ")) {
      if (MessageDigest.isEqual(expected, bytes(given))) return true;
    }
    return false;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
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
  {
    language: 'Go',
    use: 'Call it with request.Header and the bytes that io.ReadAll(request.Body) returns, before you parse the body.',
    code: GO,
  },
  {
    language: 'Java',
    use: 'Call it with request::getHeader and the raw body as bytes, before you parse the body.',
    code: JAVA,
  },
];
