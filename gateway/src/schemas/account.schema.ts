import { z } from "zod";

import { line } from "./text.schema.ts";
import { id, inputExamples, otherwise, timestamp, shownText } from "./values.schema.ts";

const kinds = ["person", "organisation"] as const;

const text = (maximum: number, description: string, example: string) =>
  line({ maximum })
    .nullish()
    .meta({ description, ...inputExamples(example) });

/** Body of `PUT /account` (contract, second part). Absent fields stay; null clears a field. */
export const profileBody = z.object({
  kind: z
    .enum(kinds, { error: otherwise(`must be ${kinds.join(" or ")}`) })
    .nullish()
    .meta({ description: "What the customer is.", ...inputExamples("organisation") }),
  name: text(200, "The person, or who speaks for the organisation.", "Ada Lovelace"),
  organisation: text(200, "The organisation.", "Analytical Engines GmbH"),
  street: text(200, "Street and number.", "Hauptstraße 1"),
  city: text(100, "City.", "Berlin"),
  postal_code: text(16, "Postal code.", "10115"),
  country: text(2, "ISO 3166-1 alpha-2, in capitals.", "DE"),
  email: text(254, "E-mail address.", "ada@example.com"),
  phone: text(17, "E.164, also as registries write it: `+49.3012345678`.", "+493012345678"),
  vat_id: text(20, "VAT id with its country's prefix; blanks, dots and hyphens are left out.", "DE123456788"),
});

/** Answer of `GET /account` and `PUT /account`. */
export const accountProfile = z
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
    missing: z.array(z.string()).meta({
      examples: [[]],
      description: "Fields that registries want of whoever holds a name, and that are not known yet.",
    }),
    updated_at: timestamp.nullable().meta({ description: "When it was last changed." }),
  })
  .meta({ id: "AccountProfile", description: "Who the customer is; null is not known." });
