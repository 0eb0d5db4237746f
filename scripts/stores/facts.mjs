// Reads over HTTP what a store contains, in one shape for all versions.

/** Answers about versions, which are refused while an upgrade runs. */
export async function readVersions({ call }) {
  const at = 'system/upgrades';
  return {
    current: (await call(`${at}/currentVersion`)).fullVersion,
    available: (await call(`${at}/available`)).map(({ id }) => id),
    installed: (await call(`${at}/installed`)).updates.map(({ id }) => id),
    history: (await call(`${at}/history`)).updates.map(({ id, kind, from, to, state }) => ({
      id,
      kind,
      from,
      to,
      state,
    })),
  };
}

async function readWebhook({ call }, secrets, webhook) {
  const { id, folderName, serviceName, serviceType, name: hookName, hookUrl: url, active, ledger } = webhook;
  const { contentType, signatureHeader, deactivation } = webhook;
  const service = `${folderName}/${serviceName}.${serviceType}`;
  const { deliveries } = await call(`services/${service}/webhooks/${id}/deliveries`);
  const shown = deliveries.map((one) => ({
    id: one.id,
    messageId: one.webhookMessageId,
    eventId: one.eventId,
    state: one.state,
    attempts: one.attempts,
  }));
  const details = { contentType, signatureHeader, deactivation: deactivation?.reason ?? null };
  return { id, service, name: hookName, url, active, ...details, ...secrets[id], ledger, deliveries: shown };
}

/** What the server answers just before its end, and the notes. */
export async function readFacts(server, { secrets, versions, ...notes }) {
  const { call } = server;
  const { folders, services } = await call('services/export');
  const webhooks = [];
  for (const one of (await call('services/webhooks')).webhooks) webhooks.push(await readWebhook(server, secrets, one));
  const jobs = [];
  for (const { id } of (await call('system/jobs')).jobs) {
    const { kind, state, messages } = await call(`system/jobs/${id}`);
    jobs.push({ id, kind, state, messages: messages.length, lastCode: messages.at(-1)?.code ?? null });
  }
  const { status: _, ...policy } = await call('services/webhooks/settings');
  const { entries } = await call('security/audit', { limit: 1000 });
  return {
    users: (await call('security/users')).users.map(({ username, fullName, role }) => ({ username, fullName, role })),
    ...notes,
    folders: folders.map(({ folderName }) => folderName),
    services: services.map((one) => `${one.folderName}/${one.serviceName}.${one.type} ${one.access} ${one.state}`),
    webhooks,
    policy,
    jobs,
    ...versions,
    uploads: (await call('uploads')).items.length,
    mode: await call('mode'),
    audit: { entries: entries.length, newest: entries.slice(0, 5).map(({ action }) => action) },
  };
}
