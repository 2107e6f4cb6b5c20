import { serviceScopes } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseNames, parseText } from "../arguments/value-parsers.ts";
import { parseUntil } from "../audit/instant-parsers.ts";
import { telling } from "../output/message-document.ts";
import { argument, option, required } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";

const { issueServiceCredential, listServiceCredentials, revokeServiceCredential } =
  admin.ServiceCredentialAdminService.method;

const credentials = telling(admin.ServiceCredentialSchema, {
  name: "name",
  scopes: ({ scopes }) => scopes.join(","),
  issued: "issuedAt",
  expires: "expiresAt",
  revoked: "revokedAt",
});

/** `admin service …`: credentials of internal teams that call the services directly. */
export const addServiceCredentialCommands = noun(
  "service",
  "credentials of internal teams, and the services that each team may call",
  [
    call(
      ["issue", "issue a credential for an internal team; it is shown only once"],
      issueServiceCredential,
      {
        inputs: {
          name: argument(
            "<name>",
            "name of the team in events: lower-case letters, digits and dashes",
            parseText,
          ),
          scopes: required(
            "--scopes <scopes>",
            `scopes, separated by commas, of: ${serviceScopes.join(", ")}`,
            parseNames,
          ),
          expiresAt: option(
            "--expires <instant>",
            "when the credential expires: a date (the end of that day) or an instant",
            parseUntil,
          ),
        },
        names: { credential: "token" },
        text: ({ name, scopes, expiresAt, credential }) =>
          `${name} may call ${scopes.join(", ")}${expiresAt === undefined ? "" : `, until ${expiresAt}`}. The credential, shown this once:\n${credential}\n`,
      },
    ),
    call(
      ["list", "list the credentials of internal teams, expired and revoked ones too"],
      listServiceCredentials,
      {
        answer: (list) => credentials.list(list.credentials),
      },
    ),
    call(["revoke", "revoke the credential of an internal team for good"], revokeServiceCredential, {
      inputs: { name: argument("<name>", "the team, as listed", parseText) },
      text: ({ name }) => `The credential of ${name} is revoked.\n`,
    }),
  ],
);
