import type { account as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { operation } from "../../http/operation.ts";
import { id, inputExamples, line, otherwise, shownText, timestamp } from "../../http/values.schema.ts";
import { present } from "../../http/view.codec.ts";

const kinds = ["person", "organisation"] as const;

const text = (maximum: number, description: string, example: string) =>
  line({ maximum })
    .nullish()
    .meta({ description, ...inputExamples(example) });

/** Body of `PUT /account` (contract, second part). Absent fields stay; null clears a field. */
const profileBody = z.object({
  kind: z
    .enum(kinds, { error: otherwise(`must be ${kinds.join(" or ")}`) })
    .nullish()
    .meta({ description: "Kind of customer.", ...inputExamples("organisation") }),
  name: text(200, "Name of the person, or of the organisation's contact person.", "Ada Lovelace"),
  organisation: text(200, "Name of the organisation.", "Analytical Engines GmbH"),
  street: text(200, "Street and number.", "Hauptstraße 1"),
  city: text(100, "City.", "Berlin"),
  postal_code: text(16, "Postal code.", "10115"),
  country: text(2, "Country code per ISO 3166-1 alpha-2, in capitals.", "DE"),
  email: text(254, "E-mail address.", "ada@example.com"),
  phone: text(
    17,
    "Phone number per E.164, or in the notation of registries: `+49.3012345678`.",
    "+493012345678",
  ),
  vat_id: text(20, "VAT id with the country prefix. Blanks, dots and hyphens are removed.", "DE123456788"),
  leitweg_id: text(
    46,
    "Leitweg-ID of a public buyer in Germany, whose invoices are XRechnungen.",
    "991-03730-19",
  ),
});

const accountProfile = z
  .object({
    id,
    kind: z
      .string()
      .nullable()
      .meta({ enum: [...kinds, null], examples: ["organisation"] }),
    name: shownText("Ada Lovelace").nullable(),
    organisation: shownText("Analytical Engines GmbH").nullable(),
    street: shownText("Hauptstraße 1").nullable(),
    city: shownText("Berlin").nullable(),
    postal_code: shownText("10115").nullable(),
    country: shownText("DE").nullable(),
    email: shownText("ada@example.com").nullable(),
    phone: shownText("+49.3012345678").nullable(),
    vat_id: shownText("DE123456788").nullable(),
    leitweg_id: shownText("991-03730-19").nullable(),
    missing: z
      .array(z.string())
      .meta({ examples: [[]], description: "Empty fields that registries require of a domain's holder." }),
    updated_at: timestamp.nullable().meta({ description: "Time of the last change." }),
  })
  .meta({ id: "AccountProfile", description: "The customer's profile. Null means unknown." });

function profileView(
  accountId: bigint,
  { profile, missing, changedAt }: messages.GetProfileResponse,
): z.output<typeof accountProfile> {
  const known = present(profile, "GetProfileResponse.profile");
  const shown = (value: string): string | null => (value === "" ? null : value);
  return {
    id: Number(accountId),
    kind: shown(known.kind),
    name: shown(known.name),
    organisation: shown(known.organisation),
    street: shown(known.street),
    city: shown(known.city),
    postal_code: shown(known.postalCode),
    country: shown(known.country),
    email: shown(known.email),
    phone: shown(known.phone),
    vat_id: shown(known.vatId),
    leitweg_id: shown(known.leitwegId),
    missing,
    updated_at: changedAt ?? null,
  };
}

/** Operations on the customer's profile (contract, second part). */
export const accountOperations = [
  operation({
    id: "getAccount",
    scopes: ["account", "read"],
    route: "GET /account",
    summary: "Read the customer's profile",
    request: {},
    responses: { 200: accountProfile },
    refusals: [],
    body: async (_request, { accountId, accounts, call }) =>
      profileView(accountId, await accounts.getProfile({ accountId }, call)),
  }),
  operation({
    id: "updateAccount",
    scopes: ["account"],
    route: "PUT /account",
    summary: "Change the customer's profile",
    description:
      "Registries and invoices use the profile. Absent fields stay unchanged; null or an empty text clears a field. " +
      "`kind: person` also clears an absent `organisation`; a changed `kind` also clears an absent `vat_id` and `leitweg_id`.",
    request: { body: profileBody },
    responses: { 200: accountProfile },
    refusals: ["quota-exceeded"],
    revisionOf: async (_request, { accounts, call }) =>
      (await accounts.getProfileRevision({}, call)).revision,
    async body({ body }, { accountId, accounts, call }) {
      const { profile } = await accounts.changeProfile({ changes: changesOf(body) }, call);
      return profileView(accountId, present(profile, "ChangeProfileResponse.profile"));
    },
  }),
];

function changesOf(body: z.output<typeof profileBody>) {
  const { postal_code: postalCode, vat_id: vatId, leitweg_id: leitwegId, ...same } = body;
  const named = Object.entries({ ...same, postalCode, vatId, leitwegId }).filter(
    ([, value]) => value !== undefined,
  );
  return defined(Object.fromEntries(named.map(([name, value]) => [name, value ?? ""])));
}
