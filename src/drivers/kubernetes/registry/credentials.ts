// Which of several credentials are used for a repository.
/** User name and password, from pull secrets, by the host of a registry with an optional path: `registry.example/shop`. */
export type Credentials = ReadonlyMap<string, string>;

/** Whether a host matches one of a pull secret: part by part, where `*` stands for anything in its part. The ports are the same. */
function isHostOf(pattern: string, host: string): boolean {
  const [name = '', port] = host.split(':');
  const [wanted = '', wantedPort] = pattern.split(':');
  const [parts, others] = [wanted.split('.'), name.split('.')];
  if (port !== wantedPort || parts.length !== others.length) return false;
  return parts.every((part, n) => {
    const text = part
      .replaceAll(/[^\w*?]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${text}$`).test(others[n] ?? '');
  });
}

/** The credentials for a repository, those of the longest matching path first: as the kubelet chooses them, and tries all. */
export function credentialsFor(credentials: Credentials, host: string, repository: string): readonly string[] {
  const matching = [...credentials].filter(([place]) => {
    const [pattern = '', ...path] = place.split('/');
    return isHostOf(pattern, host) && repository.startsWith(path.join('/'));
  });
  return matching.toSorted(([one], [other]) => other.length - one.length).map(([, basic]) => basic);
}
