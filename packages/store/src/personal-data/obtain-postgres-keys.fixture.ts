import { openPostgresSubjectKeys } from "./index.ts";

/** Obtains and prints the keys of a number of accounts: `obtain-postgres-keys.fixture.ts URL COUNT`. */
const [url = "", count = "0"] = process.argv.slice(2);
const keys = await openPostgresSubjectKeys({ url });
for (let n = 1; n <= Number(count); n += 1) {
  const key = await keys.obtain(`account-${String(n)}`);
  console.log(key === "destroyed" ? key : Buffer.from(key).toString("hex"));
}
await keys.close();
