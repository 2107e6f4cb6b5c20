import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The validator of electronic invoices and PDF/A that `tools/fetch-mustang` gets from Maven Central. */
export const mustangJar = join(
  homedir(),
  ".m2/repository/org/mustangproject/Mustang-CLI/2.26.0/Mustang-CLI-2.26.0.jar",
);

/** Returns why the tests with Mustang are skipped: an unreachable registry fails no test. */
export function noMustang(): string | undefined {
  return existsSync(mustangJar)
    ? undefined
    : "its program is not there; tools/fetch-mustang gets it from Maven Central, if that answers";
}
