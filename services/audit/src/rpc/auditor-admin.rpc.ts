import type { ServiceImpl } from "@connectrpc/connect";
import {
  auditLogAggregate,
  auditorAggregate,
  maximumAuditorDays,
  ownCategories,
  parsed,
  type Parsed,
  parseId,
  parseName,
  parseStaffReason,
  storeReaderAggregate,
  storeReaderCategoryLimit,
  unparsable,
} from "@hostledger/core";
import { Credentials, type EventStore, type Position } from "@hostledger/store";
import type { admin } from "@hostledger/protocol";
import {
  rejectionError,
  requestContextOf,
  requestedPage,
  requireAccepted,
  requireStaff,
  validated,
} from "@hostledger/rpc";
import { defined, hashOfSecret, secretRandomBytes } from "@hostledger/runtime";

import { createAuditorCredential } from "../credentials/auditor-credential.ts";
import type { AuditDependencies } from "../dependencies.ts";
import { credentialMessage } from "./audit.message.ts";
import { missing, unanswerable } from "./fields.ts";

type AdminHandlers = ServiceImpl<typeof admin.AuditorAdminService>;

const maximumNameLength = 200;
const dayMs = 86_400_000;

/** Staff's handlers for auditors and for the key that signs the log. */
export function auditorAdminRpc(dependencies: AuditDependencies): AdminHandlers {
  const { clock, commands, ids, credentialIds, projector, queries, log, logger } = dependencies;
  const aggregate = auditorAggregate;
  const credentials = new Credentials({ clock, commands, ids, aggregate, refuse: rejectionError });
  return {
    ...storeReadersRpc(dependencies),

    async issueAuditorCredential(request, context) {
      const { name, days } = validated({
        name: parseName(request.name, maximumNameLength),
        days: parseDays(request.days),
      });
      const credentialId = await credentialIds.next();
      const { secret, hash, prefix } = createAuditorCredential(credentialId, ids.secret(secretRandomBytes));
      const expiresAt = instantAfter(clock.now(), days);
      const wanted = { name: String(credentialId), auditor: name, credentialHash: hash, prefix, expiresAt };
      await projector.after((await credentials.issue(wanted, requestContextOf(context))).position);
      return { credentialId: BigInt(credentialId), credential: secret, expiresAt };
    },

    async revokeAuditorCredential(request, context) {
      const credentialId = parseId(request.credentialId);
      if (!credentialId.ok) throw missing("There is no such auditor credential.");
      const revoked = await credentials.revoke(String(credentialId.value), requestContextOf(context));
      await projector.after(revoked.position);
      return { credentialId: request.credentialId, repeated: revoked.repeated };
    },

    async listAuditorCredentials(request) {
      const rows = await queries.credentials(requestedPage(request.page));
      return { credentials: rows.map(credentialMessage) };
    },

    async rotateAuditKey(_request, context) {
      const { name } = requireStaff(context);
      await log.rotate();
      const verifierKeys = [...log.verifierKeys()];
      logger.info({ staff: name, verifierKey: verifierKeys[0] }, "a new key signs the audit log");
      return { verifierKeys };
    },

    async restartAuditLog(request, context) {
      const { name } = requireStaff(context);
      const { reason } = validated({ reason: parseStaffReason(request.reason) });
      const origin = log.lost ?? log.damaged() ?? (await putBackOrigin(dependencies));
      // The event is stored first, because a log must not begin without it. The command may be repeated.
      const executed = await commands.execute(
        auditLogAggregate,
        "all",
        { type: "RestartAuditLog", data: { origin, reason, at: clock.now() } },
        { ...requestContextOf(context), commandId: `RestartAuditLog/${ids.uuid()}` },
      );
      requireAccepted(executed);
      await log.restart();
      logger.warn({ staff: name, origin, reason }, "the audit log is made anew from the store");
      return { origin };
    },
  };
}

function parseDays(days: number): Parsed<number> {
  return Number.isInteger(days) && days >= 1 && days <= maximumAuditorDays
    ? parsed(days)
    : unparsable(`must be 1 to ${String(maximumAuditorDays)} days`);
}

/** Adds days of 24 hours to an instant, to the microsecond. */
function instantAfter(at: string, days: number): string {
  const later = new Date(Date.parse(`${at.slice(0, 19)}Z`) + days * dayMs).toISOString();
  return `${later.slice(0, 19)}${at.slice(19)}`;
}

/**
 * Returns the name of a log that the store contradicts because staff accepted an older backup. The log may then be rebuilt
 * from that copy once.
 * @throws ConnectError the log works, or nobody accepted another copy, so events may have been changed.
 */
async function putBackOrigin({
  log,
  rawStore,
}: Pick<AuditDependencies, "log" | "rawStore">): Promise<string> {
  const { contradicted } = log;
  if (contradicted === undefined) throw unanswerable("The audit log exists: nothing was lost.");
  const accepted = await lastOf(rawStore, "rewind-all", "StoreRewindAccepted.");
  const restarted = await lastOf(rawStore, "auditlog-all", "AuditLogRestarted.");
  if (accepted === undefined || (restarted !== undefined && restarted > accepted))
    throw unanswerable(
      "The event store is not the one that the audit log has recorded, and nobody has accepted it as an older backup since. " +
        'Find out whether events were changed: see "AuditLogStopped" in docs/runbook.md.',
    );
  return contradicted;
}

async function lastOf(
  store: Pick<EventStore, "read">,
  stream: string,
  type: string,
): Promise<Position | undefined> {
  for await (const event of store.read(stream, { direction: "backwards" }))
    if (event.type.startsWith(type)) return event.position;
  return undefined;
}

type StoreReaderHandlers = Pick<
  ServiceImpl<typeof admin.AuditorAdminService>,
  "addStoreReader" | "revokeStoreReader" | "listStoreReaders"
>;

/** 256 bits, so that a digest of the password needs no salt and nobody can guess it. */
const passwordRandomBytes = 32;

/** A name that fits a connection string unchanged and cannot be a credential's id. */
const nameForm = /^[a-z][a-z0-9-]{0,62}$/u;

/** Staff's handlers for users that read the store over EventStoreDB's protocol. */
function storeReadersRpc({ clock, commands, ids }: AuditDependencies): StoreReaderHandlers {
  const aggregate = storeReaderAggregate;
  const users = new Credentials({ clock, commands, ids, aggregate, refuse: rejectionError });
  return {
    async addStoreReader(request, context) {
      const { name, categories } = validated({
        name: parseReaderName(request.name),
        categories: parseCategories(request.categories),
      });
      const password = ids.secret(passwordRandomBytes);
      const credentialHash = hashOfSecret(`${name}:${password}`);
      await users.issue({ name, categories, credentialHash, expiresAt: null }, requestContextOf(context));
      return { name, categories: [...categories], password };
    },

    async revokeStoreReader(request, context) {
      const { name } = validated({ name: parseReaderName(request.name) });
      const { repeated } = await users.revoke(name, requestContextOf(context));
      return { name, repeated };
    },

    async listStoreReaders() {
      const readers = await users.list();
      return {
        readers: readers.map(({ name, categories, issuedAt: addedAt, revokedAt }) => ({
          name,
          categories: [...categories],
          addedAt,
          ...defined({ revokedAt: revokedAt ?? undefined }),
        })),
      };
    },
  };
}

function parseReaderName(name: string): Parsed<string> {
  return nameForm.test(name)
    ? parsed(name)
    : unparsable("must be 1 to 63 lower-case letters, digits and dashes, beginning with a letter");
}

/** Reads existing categories without repeats; refuses others, because a mistyped category would silently show nothing. */
function parseCategories(categories: readonly string[]): Parsed<readonly string[]> {
  const asked = [...new Set(categories)].sort();
  if (asked.length === 0 || asked.length > storeReaderCategoryLimit)
    return unparsable(`must be 1 to ${String(storeReaderCategoryLimit)} categories, or all`);
  if (asked.length > 1 && asked.includes("all")) return unparsable("must be all, or categories without all");
  const unknown = asked.find((each) => each !== "all" && !ownCategories.includes(each));
  return unknown === undefined
    ? parsed(asked)
    : unparsable(`must be all, or some of ${ownCategories.join(", ")}`);
}
