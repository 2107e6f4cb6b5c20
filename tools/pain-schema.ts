import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The schema of files of credit transfers that `tools/fetch-pain-schema` gets from Maven Central. */
export const painSchema = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
  "hostledger/pain.001.001.09.xsd",
);

/** Says why the tests that need it are left out: a registry that does not answer fails no test. */
export function noPainSchema(): string | undefined {
  return existsSync(painSchema)
    ? undefined
    : "its schema is not there; tools/fetch-pain-schema gets it from Maven Central, if that answers";
}
