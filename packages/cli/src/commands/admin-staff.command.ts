import { staffRoles } from "@hostledger/core";
import { admin } from "@hostledger/protocol";

import { parseText } from "../arguments/value-parsers.ts";
import { parseUntil } from "../audit/instant-parsers.ts";
import { telling } from "../output/message-document.ts";
import { argument, option, requiredChoice } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";

const { addStaffMember, listStaffMembers, revokeStaffMember } = admin.StaffAdminService.method;

const members = telling(admin.StaffMemberSchema, {
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
      expiresAt: option(
        "--expires <instant>",
        "when the token expires: a date (the end of that day) or an instant",
        parseUntil,
      ),
    },
    document: ({ name, role, token, expiresAt }) => ({
      name,
      role,
      token,
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    }),
    text: ({ name, role, expiresAt, token }) =>
      `${name} is ${role}${expiresAt === undefined ? "" : `, until ${expiresAt}`}. The token for HOSTLEDGER_ADMIN_TOKEN, shown this once:\n${token}\n`,
  }),
  call(["list", "list all persons ever added, by name"], listStaffMembers, {
    answer: (list) => members.list(list.members),
  }),
  call(["revoke", "revoke a person's token for good"], revokeStaffMember, {
    inputs: { name: argument("<name>", "the person, as listed", parseText) },
    text: ({ name }) => `The token of ${name} is revoked.\n`,
  }),
]);
