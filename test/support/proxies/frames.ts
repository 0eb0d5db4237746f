// What Debian has in the main files of its web servers, with places in the folder of the test.

/** Where nginx keeps what it has in transit. */
export function nginxFolders(folder: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n  ');
}

export function apacheFrame(folder: string, modules: readonly string[]): string {
  const loaded = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
  return `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
ErrorLog ${folder}/apache.log
Mutex file:${folder} default
DefaultRuntimeDir ${folder}
User www-data
Group www-data
${loaded.join('\n')}`;
}
