// The operations on folders and services. Whether a change is allowed is decided by the catalog area; this file reads the path
// and the form, and shows services in the fields of the interface.
import type { Access } from '../../access/access.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Service } from '../../catalog/service.ts';
import { newValues, valuesOf } from '../../model/entity/field.ts';
import { FOLDER } from '../../model/entity/service.ts';
import type { ServiceKey } from '../../model/serviceKey.ts';
import { labelOf } from '../../model/serviceKey.ts';
import { folderOf } from '../../catalog/listing.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { catalogOperations } from '../../wire/operations/catalogOperations.ts';
import { reservedFolders } from '../../wire/operations/catalogOperations.ts';
import { toDocument } from '../../wire/operations/import/catalogDocument.ts';
import type { ServiceAnswer } from '../../wire/answers/catalogAnswers.ts';
import { urlOfService } from '../../wire/answers/serviceUrl.ts';
import type { Handlers } from '../server/handler.ts';
import { done } from '../server/handler.ts';

/** Reads the service that a path names. Clients may encode the slash after the folder, so that both are one part. */
export function serviceKeyOf(path: Readonly<Record<string, string>>): ServiceKey {
  const address = [path['folder'] ?? [], path['service'] ?? ''].flat().join('/').normalize('NFC');
  const slash = address.indexOf('/');
  const [folder, item] = [address.slice(0, Math.max(slash, 0)), address.slice(slash + 1)];
  // The last dot separates the name from the type.
  const dot = item.lastIndexOf('.');
  if (dot < 1)
    throw new StewardError(
      'notFound',
      `No folder or service named \`${item}\`. The address of a service ends with name.type.`,
    );
  return { folder, name: item.slice(0, dot), type: item.slice(dot + 1) };
}

/** Shows a service as JSON, with the names that the form fields have. */
function view(service: Service, origin: string): ServiceAnswer {
  const { folder: folderName, name: serviceName, ...rest } = service;
  return { folderName, serviceName, ...rest, url: urlOfService(service, origin) };
}

export function catalogHandlers(
  catalog: Catalog,
  { audit }: Pick<Access, 'audit'>,
): Handlers<typeof catalogOperations> {
  async function servicesIn(name: string) {
    const found = folderOf(await catalog.listing(), name);
    const services = (found?.chunks ?? [])
      .flat()
      .map(({ name: serviceName, type, state, access }) => ({ serviceName, type, state, access }));
    return { found: found?.folder, services };
  }

  return {
    async root() {
      const { folders } = await catalog.listing();
      const named = folders.slice(1).map(({ folder }) => ({ folderName: folder.name, ...valuesOf(FOLDER, folder) }));
      return { body: { folderName: '/', folders: named, services: (await servicesIn('')).services } };
    },

    async createFolder({ actor, fields }) {
      await catalog.createFolder(actor, { name: fields.folderName, ...newValues(FOLDER, fields) });
      return done({ folderName: fields.folderName });
    },

    async deleteFolder({ actor, fields }) {
      await catalog.deleteFolder(actor, fields.folderName);
      return done({});
    },

    async createService({ actor, fields, origin }) {
      const { folderName: folder = '', serviceName: name, type } = fields;
      const service = await catalog.createService(actor, { folder, name, type }, fields);
      return done({ service: view(service, origin().address) });
    },

    async import({ actor, fields }) {
      const imported = { ...fields.importFile, reserved: reservedFolders() };
      return done(await catalog.importCatalog(actor, imported, fields.dryRun ?? false));
    },

    async export() {
      const { folders } = await catalog.listing();
      const named = folders.slice(1).map(({ folder }) => folder);
      const services = folders.flatMap(({ chunks }) => chunks.flat());
      return { body: toDocument(named, services) };
    },

    async item({ path, origin }) {
      const name = (path['service'] ?? '').normalize('NFC');
      const { found, services } =
        path['folder'] === undefined ? await servicesIn(name) : { found: undefined, services: [] };
      if (found !== undefined) return { body: { folderName: found.name, ...valuesOf(FOLDER, found), services } };
      return { body: view(await catalog.service(serviceKeyOf(path)), origin().address) };
    },

    async status({ path }) {
      return { body: { state: (await catalog.service(serviceKeyOf(path))).state } };
    },

    async changes({ path, fields: { before, num: limit = 100 } }) {
      const key = serviceKeyOf(path);
      const entries = await audit({ target: `service ${labelOf(key)}`, before, limit });
      // The changes of a deleted service stay readable.
      if (entries.length === 0) await catalog.requireService(key);
      // Where a change came from is for administrators.
      const changes = entries.map(({ from: _from, requestId: _request, target: _target, ...change }) => change);
      return { body: { changes } };
    },

    async edit({ actor, path, fields, origin }) {
      const { ifRevision, ...details } = fields;
      const service = await catalog.editService(actor, serviceKeyOf(path), details, ifRevision);
      return done({ service: view(service, origin().address) });
    },

    async delete({ actor, path }) {
      await catalog.deleteService(actor, serviceKeyOf(path));
      return done({});
    },

    async start({ actor, path }) {
      return done({ state: (await catalog.startService(actor, serviceKeyOf(path))).state });
    },

    async stop({ actor, path }) {
      return done({ state: (await catalog.stopService(actor, serviceKeyOf(path))).state });
    },
  };
}
