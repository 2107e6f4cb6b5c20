import { serviceScopes, staffRoles } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";

import { parseCount, parseIdOrName, parseNames, parseText } from "../arguments/value-parsers.ts";
import { parseUntil } from "../audit/instant-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { viewOf } from "../output/message-document.ts";
import { changed, listing } from "../output/reply.ts";
import { argument, option, required, requiredChoice } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

/* Credentials of staff, internal teams, auditors and users of the store. API keys: `admin-key.command.ts`. */

const expiryOf = (secret: string) =>
  option(
    "--expires <instant>",
    `when the ${secret} expires: a date (the end of that day) or an instant`,
    parseUntil,
  );

/** Ends the sentence about a new credential's permissions. */
const until = (expiresAt: string | undefined): string =>
  expiresAt === undefined ? "" : `, until ${expiresAt}`;

const { addStaffMember, listStaffMembers, revokeStaffMember } = admin.StaffAdminService.method;

const members = viewOf(admin.StaffMemberSchema, {
  name: "name",
  role: "role",
  added: "addedAt",
  expires: "expiresAt",
  revoked: "revokedAt",
});

export const addStaffCommands = noun("staff", "persons of staff and their roles", [
  call(["add", "add a person with a role; the token is shown only once"], addStaffMember, {
    inputs: {
      name: argument(
        "<name>",
        "name of the person in events: letters, digits, dots, dashes, _ or @",
        parseText,
      ),
      role: requiredChoice("--role <role>", "role of the person", staffRoles),
      expiresAt: expiryOf("token"),
    },
    document: ({ name, role, token, expiresAt }) => ({
      name,
      role,
      token,
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    }),
    text: ({ name, role, expiresAt, token }) =>
      `${name} is ${role}${until(expiresAt)}. The token for HOSTLEDGER_ADMIN_TOKEN, shown this once:\n${token}\n`,
  }),
  call(["list", "list all persons ever added, by name"], listStaffMembers, {
    answer: (list) => members.list(list.members),
  }),
  call(["revoke", "revoke a person's token for good"], revokeStaffMember, {
    inputs: { name: argument("<name>", "the person, as listed", parseText) },
    text: ({ name }) => `The token of ${name} is revoked.\n`,
  }),
]);

const { issueServiceCredential, listServiceCredentials, revokeServiceCredential } =
  admin.ServiceCredentialAdminService.method;

const teams = viewOf(admin.ServiceCredentialSchema, {
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
          expiresAt: expiryOf("credential"),
        },
        names: { credential: "token" },
        text: ({ name, scopes, expiresAt, credential }) =>
          `${name} may call ${scopes.join(", ")}${until(expiresAt)}. The credential, shown this once:\n${credential}\n`,
      },
    ),
    call(
      ["list", "list the credentials of internal teams, expired and revoked ones too"],
      listServiceCredentials,
      {
        answer: (list) => teams.list(list.credentials),
      },
    ),
    call(["revoke", "revoke the credential of an internal team for good"], revokeServiceCredential, {
      inputs: { name: argument("<name>", "the team, as listed", parseText) },
      text: ({ name }) => `The credential of ${name} is revoked.\n`,
    }),
  ],
);

const { issueAuditorCredential, addStoreReader } = admin.AuditorAdminService.method;

export const addAuditorCommands = noun("auditor", "credentials of auditors", [
  call(
    ["issue", "issue a read-only credential that expires; it is shown only once"],
    issueAuditorCredential,
    {
      inputs: {
        name: required("--name <name>", "name of the auditor, 1 to 200 characters", parseText),
        days: required("--days <days>", "days until it expires, 1 to 366", parseCount),
      },
      text: ({ credentialId, expiresAt, credential }) =>
        `Credential ${String(credentialId)}, good until ${expiresAt}, shown this once:\n${credential}\n`,
    },
  ),
  call(
    ["add", "let a user read the store over EventStoreDB's protocol; the password is shown only once"],
    addStoreReader,
    {
      inputs: {
        name: argument(
          "<name>",
          "1 to 63 lower-case letters, digits and dashes, beginning with a letter",
          parseText,
        ),
        categories: required(
          "--categories <categories>",
          "categories the user may read, separated by commas, such as account,domain; or all",
          parseNames,
        ),
      },
      document: ({ name, categories, password }) => ({ name, categories, password }),
      text: ({ name, categories, password }) =>
        `${name} reads ${categories.join(", ")} with this password, shown this once:\n${password}\n`,
    },
  ),
  custom(
    ["revoke", "revoke a credential for good, or a user who reads the store"],
    {
      which: argument("<id-or-name>", "id of the credential or name of the user, as listed", parseIdOrName),
    },
    async ({ auditors }, { which }) => {
      if (typeof which === "string") {
        const { name, repeated } = await auditors.revokeStoreReader({ name: which });
        return changed(repeated, { document: { name }, text: `${name} can no longer read the store.\n` });
      }
      const { credentialId, repeated } = await auditors.revokeAuditorCredential({ credentialId: which });
      return changed(repeated, {
        document: { credential_id: jsonInteger(credentialId) },
        text: `Credential ${String(credentialId)} is revoked.\n`,
      });
    },
  ),
  custom(
    ["list", "list credentials and how they are used, expired and revoked ones too"],
    {},
    async ({ auditors }) => {
      const issued = (await allCredentials(auditors)).map(credentialRow);
      const users = (await auditors.listStoreReaders({})).readers.map(readerRow);
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
    },
  ),
]);

function credentialRow(credential: admin.AuditorCredential) {
  return {
    credential_id: jsonInteger(credential.credentialId),
    name: credential.name,
    prefix: credential.prefix,
    categories: null,
    issued_at: credential.issuedAt,
    expires_at: credential.expiresAt,
    revoked_at: credential.revokedAt ?? null,
    last_used_at: credential.lastUsedAt ?? null,
    uses: jsonInteger(credential.uses),
  };
}

function readerRow({ name, categories, addedAt, revokedAt }: admin.StoreReader) {
  return {
    credential_id: null,
    name,
    prefix: null,
    categories,
    issued_at: addedAt,
    expires_at: null,
    revoked_at: revokedAt ?? null,
    last_used_at: null,
    uses: null,
  };
}

const pageLimit = 1_000;

/** Reads all pages; ids ascend, so the last id of a full page is where the next page starts. */
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
