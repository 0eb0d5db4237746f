// The sections of docs/cli.md about commands that call no server.

export const LOCAL_COMMANDS = `## steward doctor

\`steward doctor\` looks at what a start would use, on the machine of the server and with its settings: configuration, server, store, master key,
clock, disk, certificate, public address, receivers and cluster. It changes nothing, and says what to do about each problem.

\`\`\`sh
steward doctor --data /var/lib/steward
steward doctor --data /var/lib/steward --bundle steward-support.json   # also a file for a supporter
\`\`\`

| flag | meaning |
|---|---|
| \`--bundle <file>\` | Also writes findings, settings and answers of the server as JSON, without secrets. The file must not exist. |
| \`--json\` | Prints the findings as JSON: \`steward\` (the version) and \`findings\`, each with \`name\`, \`verdict\` (\`pass\`, \`warn\` or \`fail\`), \`text\` and \`todo\`. |
| \`--profile <name>\` | The profile to ask the running server with. |

All flags of \`steward serve\` are accepted too ([configuration.md](configuration.md)). The exit code is 9 if a check has failed, and 0 otherwise,
also with warnings. [operations.md](operations.md#check-an-installation) says with which account to run it.

## steward prove

\`steward prove\` tests the promises on your machine: it starts replicas of this program on an empty store, puts load on them, kills and freezes
them, and counts what was lost, sent twice or shown wrongly. It touches no other server. \`deliveries\` is the default;
\`upgrades\` upgrades a simulated deployment again and again.

\`\`\`sh
steward prove --seconds 60
steward prove upgrades --store postgres://localhost/empty --seed 42
\`\`\`

| flag | meaning |
|---|---|
| \`--seconds <n>\` | How long, from 10 to 86400. Default: 180. |
| \`--store <address>\` | The \`postgres://\` address of an empty database. Default: the embedded store in a temporary folder. |
| \`--replicas <n>\` | With PostgreSQL: how many replicas, from 1 to 10. Default: 3. The embedded store has one. |
| \`--restart-database <command>\` | With PostgreSQL: a command that restarts the database, to include that. |
| \`--max-stall <seconds>\` | The longest time without progress while a replica can work, from 1 to 3600. Default: 5. For upgrades 20. |
| \`--seed <n>\` | Repeats the choices of an earlier run. The run prints its seed. |
| \`--report <file>\` | Also writes the report as JSON. |
| \`--json\` | Prints the report as JSON: the counts, the faults, \`longestStallMs\`, and \`broken\`, the promises that were not kept. |
| \`--quiet\` | Prints no live score. |

The exit code is 0 if all promises were kept, and 9 if not ([limits](#limits-of-prove)).

## steward listen

\`steward listen\` is a receiver on this machine. It verifies each delivery, prints it, and answers as you say. Type another answer and Enter
while it runs to change it. It prints the totals when you stop it with Ctrl+C.

\`\`\`sh
steward listen --port 8090 --secret-file key.txt
\`\`\`

| flag | meaning |
|---|---|
| \`--port <n>\` | The port on 127.0.0.1. 0 chooses a free one. Default: 8090. |
| \`--secret-file <file>\` | A file that contains the signatureKey of the webhook. Also \`STEWARD_LISTEN_SECRET_FILE\`. |
| \`--secret <key>\` | The signatureKey itself. Also \`STEWARD_LISTEN_SECRET\`. Other users of the machine can see flags in the list of processes. |
| \`--answer <answer>\` | A status from 200 to 599, \`slow\` (200 after some seconds) or \`never\`. Default: 200. |
| \`--slow <seconds>\` | How many seconds \`slow\` takes, from 0 to 3600. Default: 30. |

Without a key, it says so, and prints deliveries without verifying them. A delivery with a wrong signature is answered with 401. [webhooks.md](webhooks.md#try-it) shows it with a webhook.
`;
