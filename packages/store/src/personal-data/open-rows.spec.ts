import { turns } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { openRows, type PersonalColumns } from "./open-rows.ts";
import { sealText } from "./sealed-text.ts";
import { subjectOfAccount, type SubjectKey, type TextKeys } from "./subject-keys.port.ts";

interface NamedRow {
  readonly id: number;
  readonly name: string;
}

const key = Buffer.alloc(32, 7);
const ofAccounts: PersonalColumns<NamedRow> = { account: ({ id }) => id, texts: { name: "name" } };
/** The person of account 13 was erased. */
const keys: TextKeys = {
  find: (subjects) =>
    Promise.resolve(
      new Map<string, SubjectKey>(
        subjects.map((subject) => [subject, subject === subjectOfAccount(13) ? "destroyed" : key]),
      ),
    ),
};

it("opens each row's texts, in order, and yields if there are many", async () => {
  const rows = Array.from({ length: 1_000 }, (_, id): NamedRow => {
    const place = { subject: subjectOfAccount(id), field: "name", record: String(id) };
    return { id, name: sealText(`Customer ${String(id)}`, key, place) };
  });
  const counted = turns();
  const opened = await openRows(keys, rows, ofAccounts);
  expect(counted()).toBeGreaterThanOrEqual(9);
  expect(opened).toEqual(
    rows.map(({ id }) => ({ id, name: id === 13 ? "[erased]" : `Customer ${String(id)}` })),
  );
});
