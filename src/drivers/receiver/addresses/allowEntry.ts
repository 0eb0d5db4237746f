/** An entry of STEWARD_WEBHOOK_ALLOW: a network, or one port of it. */
export interface AllowEntry {
  /** An address or a network in CIDR notation, not checked yet. */
  readonly network: string;
  /** Undefined if every port is allowed. */
  readonly port: number | undefined;
}

const IN_BRACKETS = /^\[([^[\]]*)\](\/\d+)?(?::(\d+))?$/;
/** A colon after an address of IPv6 without brackets would be part of the address. */
const WITH_PORT = /^([^[\]]*\/\d+|[\d.]+):(\d+)$/;

function withPort(network: string, digits: string | undefined): AllowEntry | undefined {
  if (digits === undefined) return { network, port: undefined };
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : 0;
  return port < 1 || port > 65_535 ? undefined : { network, port };
}

/** Splits `10.0.0.0/8:443`, `192.168.7.20:443`, `fd00::/8:443` or `[fd00::1]:443`; undefined if the port is not one. */
export function splitAllowEntry(entry: string): AllowEntry | undefined {
  const text = entry.trim();
  const brackets = IN_BRACKETS.exec(text);
  if (brackets !== null) return withPort(`${brackets[1]}${brackets[2] ?? ''}`, brackets[3]);
  const [, network = text, port] = WITH_PORT.exec(text) ?? [];
  return withPort(network, port);
}
