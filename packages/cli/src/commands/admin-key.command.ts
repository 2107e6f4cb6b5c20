import type { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import type { Command } from "commander";
import { parseId, parseNames } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonInteger } from "../output/json.ts";
import { changed, listing } from "../output/reply.ts";
import type { Column } from "../output/table.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin key …`: the API keys customers sign their requests with. */
export function addKeyCommands(group: Command, context: CommandContext): void {
  const key = group.command("key").description("API keys of accounts");
  addIssue(key, context);
  addRevoke(key, context);
  addList(key, context);
}

/** What limits a new key. */
interface IssueOptions {
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expires?: string;
  readonly addresses: readonly string[];
}

function addIssue(key: Command, context: CommandContext): void {
  key
    .command("issue")
    .description("issue an API key; it is shown once, here")
    .argument("<account>", "account id", parseId)
    .option("--label <label>", "what the key is called", "")
    .option(
      "--scopes <scopes>",
      "what it is allowed, for example read,dns:txt; everything without it",
      parseNames,
      [],
    )
    .option("--expires <time>", "when it expires, for example 2030-01-31T12:00:00Z; never without it")
    .option(
      "--addresses <addresses>",
      "addresses and networks it may be used from; any without it",
      parseNames,
      [],
    )
    .action(
      async (accountId: bigint, { label, scopes, expires, addresses }: IssueOptions, command: Command) => {
        await answerFromStaff(context, command, async ({ accounts }) => {
          const limits = {
            scopes: [...scopes],
            addresses: [...addresses],
            ...defined({ expiresAt: expires }),
          };
          const { keyId, apiKey } = await accounts.issueApiKey({ accountId, label, ...limits });
          return {
            document: { key_id: jsonInteger(keyId), api_key: apiKey },
            text: `Key ${String(keyId)}, shown this once:\n${apiKey}\n`,
          };
        });
      },
    );
}

function addRevoke(key: Command, context: CommandContext): void {
  key
    .command("revoke")
    .description("revoke an API key for good")
    .argument("<key-id>", "id of the key, as listed", parseId)
    .action(async (keyId: bigint, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ accounts }) => {
        const revoked = await accounts.revokeApiKey({ keyId });
        return changed(revoked.repeated, {
          document: { key_id: jsonInteger(revoked.keyId) },
          text: `Key ${String(revoked.keyId)} is revoked.\n`,
        });
      });
    });
}

function addList(key: Command, context: CommandContext): void {
  key
    .command("list")
    .description("list the keys of an account, revoked ones too")
    .argument("[account]", "account id; not with --exposed", parseId)
    .option(
      "--exposed",
      "list the keys in force of all accounts whose stored answer could once be read: replace them",
      false,
    )
    .action(async (accountId: bigint | undefined, { exposed }: { exposed: boolean }, command: Command) => {
      if (exposed === (accountId !== undefined))
        command.error("error: Name an account, or ask for --exposed.");
      await answerFromStaff(context, command, async ({ accounts }) => {
        if (accountId === undefined)
          return listing(await exposedRows(accounts), [accountColumn, ...keyColumns]);
        const { keys } = await accounts.listApiKeys({ accountId });
        return listing(keys.map(keyRow), keyColumns);
      });
    });
}

/** Asks for one part of the log after the other. */
async function exposedRows(accounts: StaffClient["accounts"]) {
  const rows: ({ readonly account_id: number } & KeyRow)[] = [];
  let next: bigint | undefined = 0n;
  while (next !== undefined) {
    const { keys, nextPosition } = await accounts.listExposedApiKeys({ afterPosition: next });
    for (const { accountId, key } of keys)
      if (key !== undefined) rows.push({ account_id: jsonInteger(accountId), ...keyRow(key) });
    next = nextPosition;
  }
  return rows;
}

type KeyRow = ReturnType<typeof keyRow>;

function keyRow(each: admin.ApiKey) {
  return {
    key_id: jsonInteger(each.keyId),
    prefix: each.prefix,
    issued_at: each.issuedAt,
    revoked_at: each.revokedAt ?? null,
    label: each.label,
    scopes: each.scopes.length === 0 ? null : each.scopes,
    expires_at: each.expiresAt ?? null,
    addresses: each.addresses,
    last_used_on: each.lastUsedOn ?? null,
  };
}

const accountColumn: Column<{ readonly account_id: number }> = {
  heading: "account",
  cell: (row) => row.account_id,
  align: "right",
};

const keyColumns: readonly Column<KeyRow>[] = [
  { heading: "key", cell: (row) => row.key_id, align: "right" },
  { heading: "prefix", cell: (row) => row.prefix },
  { heading: "issued", cell: (row) => row.issued_at },
  { heading: "revoked", cell: (row) => row.revoked_at },
  { heading: "last used", cell: (row) => row.last_used_on },
  { heading: "label", cell: (row) => row.label },
  { heading: "scopes", cell: (row) => row.scopes?.join(",") ?? "all" },
  { heading: "expires", cell: (row) => row.expires_at },
  { heading: "addresses", cell: (row) => row.addresses.join(",") },
];
