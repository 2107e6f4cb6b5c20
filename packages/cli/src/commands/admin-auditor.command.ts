import type { StaffClient } from "@hostledger/rpc";
import type { Command } from "commander";
import { parseCount, parseIdOrName, parseNames, parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin auditor …`: the credentials with which auditors read the audit, and users who read the store itself. */
export function addAuditorCommands(group: Command, context: CommandContext): void {
  const auditor = group.command("auditor").description("credentials of auditors");
  addIssue(auditor, context);
  addReader(auditor, context);
  addRevoke(auditor, context);
  addList(auditor, context);
}

function addIssue(auditor: Command, context: CommandContext): void {
  auditor
    .command("issue")
    .description("issue a credential that reads and expires; it is shown once, here")
    .requiredOption("--name <name>", "whose it is, 1 to 200 characters", parseText)
    .requiredOption("--days <days>", "days until it expires, 1 to 366", parseCount)
    .action(async (options: { name: string; days: number }, command: Command) => {
      await answerFromStaff(context, command, async ({ auditors }) => {
        const { credentialId, credential, expiresAt } = await auditors.issueAuditorCredential(options);
        return {
          document: { credential_id: jsonInteger(credentialId), credential, expires_at: expiresAt },
          text: `Credential ${String(credentialId)}, good until ${expiresAt}, shown this once:\n${credential}\n`,
        };
      });
    });
}

function addReader(auditor: Command, context: CommandContext): void {
  auditor
    .command("add")
    .description("let a user read the store over EventStoreDB's protocol; the password is shown once, here")
    .argument("<name>", "1 to 63 lower-case letters, digits and dashes, beginning with a letter", parseText)
    .requiredOption(
      "--categories <categories>",
      "what the user reads, separated by commas, such as account,domain; or all",
      parseNames,
    )
    .action(async (name: string, { categories }: { categories: readonly string[] }, command: Command) => {
      await answerFromStaff(context, command, async ({ auditors }) => {
        const added = await auditors.addStoreReader({ name, categories: [...categories] });
        return {
          document: { name: added.name, categories: added.categories, password: added.password },
          text: `${added.name} reads ${added.categories.join(", ")} with this password, shown this once:\n${added.password}\n`,
        };
      });
    });
}

function addRevoke(auditor: Command, context: CommandContext): void {
  auditor
    .command("revoke")
    .description("revoke a credential for good, or a user who reads the store")
    .argument("<id-or-name>", "id of the credential or name of the user, as listed", parseIdOrName)
    .action(async (which: bigint | string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ auditors }) => {
        if (typeof which === "string") {
          const { name, repeated } = await auditors.revokeStoreReader({ name: which });
          return changed(repeated, { document: { name }, text: `${name} reads the store no more.\n` });
        }
        const { credentialId, repeated } = await auditors.revokeAuditorCredential({ credentialId: which });
        return changed(repeated, {
          document: { credential_id: jsonInteger(credentialId) },
          text: `Credential ${String(credentialId)} is revoked.\n`,
        });
      });
    });
}

function addList(auditor: Command, context: CommandContext): void {
  auditor
    .command("list")
    .description("list credentials and how they are used, expired and revoked ones too")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ auditors }) => {
        const credentials = await allCredentials(auditors);
        const { readers } = await auditors.listStoreReaders({});
        const users = readers.map((each) => ({
          credential_id: null,
          name: each.name,
          prefix: null,
          categories: each.categories,
          issued_at: each.addedAt,
          expires_at: null,
          revoked_at: each.revokedAt ?? null,
          last_used_at: null,
          uses: null,
        }));
        const issued = credentials.map((each) => ({
          credential_id: jsonInteger(each.credentialId),
          name: each.name,
          prefix: each.prefix,
          categories: null,
          issued_at: each.issuedAt,
          expires_at: each.expiresAt,
          revoked_at: each.revokedAt ?? null,
          last_used_at: each.lastUsedAt ?? null,
          uses: jsonInteger(each.uses),
        }));
        return listing(
          [...issued, ...users],
          [
            { heading: "id", cell: (row) => row.credential_id, align: "right" },
            { heading: "name", cell: (row) => row.name },
            { heading: "prefix", cell: (row) => row.prefix },
            { heading: "expires", cell: (row) => row.expires_at },
            { heading: "revoked", cell: (row) => row.revoked_at },
            { heading: "last used", cell: (row) => row.last_used_at },
            { heading: "uses", cell: (row) => row.uses, align: "right" },
            { heading: "reads of the store", cell: (row) => row.categories?.join(", ") ?? null },
          ],
        );
      });
    });
}

/** Credentials of one page. */
const pageLimit = 1_000;

/** Every page of the list; ids ascend, so the last one of a full page is where the next one begins. */
async function allCredentials(auditors: StaffClient["auditors"]) {
  const { credentials } = await auditors.listAuditorCredentials({ page: { limit: pageLimit } });
  let last = credentials;
  while (last.length === pageLimit) {
    const afterId = last.at(-1)?.credentialId ?? 0n;
    last = (await auditors.listAuditorCredentials({ page: { afterId, limit: pageLimit } })).credentials;
    credentials.push(...last);
  }
  return credentials;
}
