import { openSqliteSubjectKeys } from "./index.ts";

/** Obtains and prints the keys of a number of accounts: `obtain-keys.fixture.ts FILE COUNT`. */
const [path = "", count = "0"] = process.argv.slice(2);
const keys = openSqliteSubjectKeys({ path });
for (let n = 1; n <= Number(count); n += 1) {
  const key = await keys.obtain(`account-${String(n)}`);
  console.log(key === "destroyed" ? key : Buffer.from(key).toString("hex"));
}
await keys.close();
