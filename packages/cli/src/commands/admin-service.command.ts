import { serviceScopes } from "@hostledger/core";
import type { Command } from "commander";
import { parseNames, parseText } from "../arguments/value-parsers.ts";
import { parseUntil } from "../audit/instant-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { changed, listing } from "../output/reply.ts";
import { answerFromStaff } from "../staff/staff-command.ts";

/** `admin service …`: the credentials of internal teams, which call the services by themselves. */
export function addServiceCredentialCommands(group: Command, context: CommandContext): void {
  const service = group
    .command("service")
    .description("credentials of internal teams, and what each of them may call");
  addIssue(service, context);
  addList(service, context);
  addRevoke(service, context);
}

function addIssue(service: Command, context: CommandContext): void {
  service
    .command("issue")
    .description("issue a credential for an internal team; it is shown once, here")
    .argument("<name>", "what the facts call the team: lower-case letters, digits and dashes", parseText)
    .requiredOption(
      "--scopes <scopes>",
      `what it opens, separated by commas, of: ${serviceScopes.join(", ")}`,
      parseNames,
    )
    .option("--expires <instant>", "when it ends: a date (its last moment) or an instant", parseUntil)
    .action(
      async (name: string, options: { scopes: readonly string[]; expires?: string }, command: Command) => {
        await answerFromStaff(context, command, async ({ teams }) => {
          const { scopes, expires: expiresAt } = options;
          const issued = await teams.issueServiceCredential({
            name,
            scopes: [...scopes],
            ...(expiresAt === undefined ? {} : { expiresAt }),
          });
          const until = issued.expiresAt === undefined ? "" : `, until ${issued.expiresAt}`;
          return {
            document: {
              name: issued.name,
              scopes: issued.scopes,
              token: issued.credential,
              expires_at: issued.expiresAt ?? null,
            },
            text: `${issued.name} may call ${issued.scopes.join(", ")}${until}. The credential, shown this once:\n${issued.credential}\n`,
          };
        });
      },
    );
}

function addList(service: Command, context: CommandContext): void {
  service
    .command("list")
    .description("list the credentials of internal teams, expired and revoked ones too")
    .action(async (_options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ teams }) => {
        const { credentials } = await teams.listServiceCredentials({});
        const rows = credentials.map((credential) => ({
          name: credential.name,
          scopes: credential.scopes,
          issued_at: credential.issuedAt,
          expires_at: credential.expiresAt ?? null,
          revoked_at: credential.revokedAt ?? null,
        }));
        return listing(rows, [
          { heading: "name", cell: (row) => row.name },
          { heading: "scopes", cell: (row) => row.scopes.join(",") },
          { heading: "issued", cell: (row) => row.issued_at },
          { heading: "expires", cell: (row) => row.expires_at },
          { heading: "revoked", cell: (row) => row.revoked_at },
        ]);
      });
    });
}

function addRevoke(service: Command, context: CommandContext): void {
  service
    .command("revoke")
    .description("revoke the credential of an internal team for good")
    .argument("<name>", "the team, as listed", parseText)
    .action(async (name: string, _options: object, command: Command) => {
      await answerFromStaff(context, command, async ({ teams }) => {
        const revoked = await teams.revokeServiceCredential({ name });
        return changed(revoked.repeated, {
          document: { name: revoked.name },
          text: `The credential of ${revoked.name} is revoked.\n`,
        });
      });
    });
}
