/** The demo receiver refuses longer names. */
const MAX_NAME_LENGTH = 100;

/** The name of the box of an address at the demo receiver; undefined for any other address. */
export function boxOf(hookUrl: string, receiverUrl: string): string | undefined {
  const prefix = `${receiverUrl}/receive/`;
  if (!hookUrl.startsWith(prefix)) return undefined;
  const [part = ''] = hookUrl.slice(prefix.length).split(/[/?#]/, 1);
  try {
    const name = decodeURIComponent(part);
    return name === '' || name.length > MAX_NAME_LENGTH ? undefined : name;
  } catch {
    return undefined;
  }
}
