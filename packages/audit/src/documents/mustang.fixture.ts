import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Mustang's verdict about a file. */
export interface Verdict {
  readonly pdf: string;
  readonly xml: string;
  /** Rules that are not kept. Mustang judges every document by those of XRechnung too, as a notice. */
  readonly broken: readonly string[];
}

/** Runs Mustang on a folder, and returns its output. Mustang exits with 1 if a file is invalid. */
function mustang(path: string): Promise<string> {
  const options = ["--disable-file-logging", "--action", "validateExpectValid", "-d", path];
  const line = ["-jar", process.env.TEST_MUSTANG ?? "", ...options];
  return new Promise((resolve) => {
    execFile("java", line, { cwd: path, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
      resolve(`${stdout}\n${stderr}`);
    });
  });
}

/** Validates the files of a folder. @returns verdicts by file name; Mustang's log names files by their hashes. */
export async function judgeByMustang(path: string): Promise<Readonly<Record<string, Verdict>>> {
  const said = await mustang(path);
  const names = new Map(
    readdirSync(path).map((name) => [
      createHash("sha1")
        .update(readFileSync(join(path, name)))
        .digest("hex")
        .toUpperCase(),
      name,
    ]),
  );
  const pattern = /Parsed PDF:(\w+) XML:(\w+) .*Checksum:([0-9A-F]{40}) Profile:(\S*) .*ErrorIDs: \[(.*)\]/gu;
  const found = [...said.matchAll(pattern)].map(
    ([, pdf = "", xml = "", hash = "", profile = "", ids = ""]) => {
      const isXRechnung = profile.includes("xrechnung");
      const broken = ids.split(",").filter((id) => id !== "" && (isXRechnung || /^BR-(?!DE-)/u.test(id)));
      return [names.get(hash) ?? hash, { pdf, xml, broken }] as const;
    },
  );
  return Object.fromEntries(found);
}
