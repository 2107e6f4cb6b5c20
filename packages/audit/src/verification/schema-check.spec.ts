import { hostingCodec, renderEventDocuments } from "@hostledger/core";
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileSchema } from "./schema-check.ts";

const fixtures = new URL("../../../../test/fixtures/events/", import.meta.url);
/** Wrong values for any field. */
const strays: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  "",
  "x",
  "-12",
  "x".repeat(1_001),
  [],
  [null],
  {},
];

it("judges every type of event as the schemas of core do, right and wrong members alike", () => {
  const documents = renderEventDocuments();
  let judged = 0;
  for (const file of readdirSync(fixtures).filter((name) => documents.has(name))) {
    const check = compileSchema(JSON.parse(documents.get(file) ?? ""));
    const schema = hostingCodec.versions.get(file.replace(/\.json$/u, ""));
    for (const value of variantsOf(JSON.parse(readFileSync(new URL(file, fixtures), "utf8")))) {
      const wanted = schema?.safeParse(value).success;
      expect(check?.(value), `${file}: ${JSON.stringify(value).slice(0, 300)}`).toBe(wanted);
      judged += 1;
    }
  }
  expect(judged).toBeGreaterThan(5_000);
});

function variantsOf(fixture: unknown): readonly unknown[] {
  const entries: readonly (readonly [string, unknown])[] =
    typeof fixture === "object" && fixture !== null ? Object.entries(fixture) : [];
  const whole = Object.fromEntries(entries);
  const members = entries.flatMap(([name]) => [
    ...strays.map((stray) => ({ ...whole, [name]: stray })),
    Object.fromEntries(entries.filter(([other]) => other !== name)),
  ]);
  return [whole, { ...whole, surplus: 1 }, JSON.parse('{"__proto__":1}'), null, [], "text", ...members];
}

it("compiles the schema of every type of event", () => {
  for (const [file, text] of renderEventDocuments())
    expect(compileSchema(JSON.parse(text)), file).toBeDefined();
});

it("is not compiled with an unknown keyword", () => {
  expect(compileSchema({ type: "string", format: "email" })).toBeUndefined();
  expect(
    compileSchema({ type: "object", properties: { a: { not: {} } }, additionalProperties: false }),
  ).toBeUndefined();
});
