import { readFileSync } from "node:fs";

import type { account as messages } from "@hostledger/protocol";
import { z } from "zod";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { fileReason } from "../error-code.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { changed } from "../output/reply.ts";
import { fields } from "../output/table.ts";
import { argument, option } from "../staff/command-line.codec.ts";
import { custom } from "../staff/staff-table.ts";

/** The instance validates the values. */
const value = z.string().nullish();
const profileFile = z.strictObject({
  kind: value,
  name: value,
  organisation: value,
  street: value,
  city: value,
  postal_code: value,
  country: value,
  email: value,
  phone: value,
  vat_id: value,
});

export const addProfileCommand = custom(
  ["profile", "show a customer's profile, or change it with a JSON file of fields of `PUT /account`"],
  {
    accountId: argument("<id>", "account id", parseId),
    changes: option(
      "--file <path>",
      "JSON object: absent fields stay as they are, null removes a value",
      (path) => readProfile(parseText(path)),
    ),
  },
  async ({ accounts }, asked) => {
    const { profile, repeated } = await accounts.setProfile(asked);
    const answer = profileAnswer(asked.accountId, profile);
    return asked.changes === undefined ? answer : changed(repeated, answer);
  },
);

/** Reads the file's fields; null becomes an empty text, which clears a field. @throws CommandFailure `wrongUsage` */
function readProfile(path: string): Partial<Record<string, string>> {
  const { postal_code: postalCode, vat_id: vatId, ...same } = parseProfile(path);
  const named = Object.entries({ ...same, postalCode, vatId }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text ?? ""] as const],
  );
  return Object.fromEntries(named);
}

function parseProfile(path: string): z.output<typeof profileFile> {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is no JSON" : fileReason(error);
    throw wrongUsage(`--file must name a JSON file that can be read, not ${path}: ${reason}.`);
  }
  const result = profileFile.safeParse(document);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join(".") ?? "";
  throw wrongUsage(
    `${path} must be a JSON object with some of ${Object.keys(profileFile.shape).join(", ")}, each a text or null${place === "" ? "" : `: look at ${place}`}.`,
  );
}

function profileAnswer(accountId: bigint, answer: messages.GetProfileResponse | undefined) {
  const shown = (text: string | undefined): string | null =>
    text === undefined || text === "" ? null : text;
  const profile = answer?.profile;
  const document = {
    account_id: jsonInteger(accountId),
    kind: shown(profile?.kind),
    name: shown(profile?.name),
    organisation: shown(profile?.organisation),
    street: shown(profile?.street),
    city: shown(profile?.city),
    postal_code: shown(profile?.postalCode),
    country: shown(profile?.country),
    email: shown(profile?.email),
    phone: shown(profile?.phone),
    vat_id: shown(profile?.vatId),
    missing: answer?.missing ?? [],
    updated_at: answer?.changedAt ?? null,
  };
  const missing = document.missing.length === 0 ? null : document.missing.join(", ");
  return { document, text: fields({ ...document, missing }) };
}
