import { serveParent } from "./harness/child.ts";
import { settingsSchema } from "./harness/settings.ts";
import { rows } from "./rows.ts";

/** Measures one row: `row.child.ts NAME`. */
const [name = ""] = process.argv.slice(2);

serveParent(async (question) => {
  const row = rows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`there is no row ${name}`);
  const { measure } = await row.load();
  return measure(settingsSchema.parse(question));
});
