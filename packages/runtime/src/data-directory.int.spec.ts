import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import {
  claimDataDirectory,
  DataDirectoryError,
  dataDirectorySentence,
  joinDataDirectory,
  secretFile,
  shareDataDirectory,
} from "./data-directory.ts";
import { directoryOfTest } from "./testing/temporary-directory.ts";

let root: string;
beforeEach(() => {
  root = directoryOfTest();
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const failing = (code: string): Error => Object.assign(new Error(`${code}: the system's words`), { code });

describe("joinDataDirectory", () => {
  it("admits a process beside the owner, and excludes none", () => {
    const path = join(root, "data");
    const joined = joinDataDirectory(path);
    const whole = claimDataDirectory(path);
    expect(joinDataDirectory(path).path).toBe(joined.path);
    whole.release();
  });

  it("refuses a directory of something else", () => {
    writeFileSync(join(root, "letter.txt"), "Dear Ada");
    expect(() => joinDataDirectory(root)).toThrow("not Hostledger's (letter.txt)");
  });
});

describe("shareDataDirectory", () => {
  it("admits several, and each part once", () => {
    const path = join(root, "data");
    const account = shareDataDirectory(path, "account");
    const [domain, guest] = [shareDataDirectory(path, "domain"), shareDataDirectory(path)];
    expect(() => shareDataDirectory(path, "domain")).toThrow(
      /^The domain part of the data directory .* is in use/,
    );
    domain.release();
    shareDataDirectory(path, "domain").release();
    guest.release();
    account.release();
    expect(modeOf(path)).toBe("700");
  });

  it("and an exclusive owner exclude each other", () => {
    const part = shareDataDirectory(root, "node");
    expect(() => claimDataDirectory(root)).toThrow(/^The node part .* is in use/);
    part.release();
    const whole = claimDataDirectory(root);
    expect(() => shareDataDirectory(root, "node")).toThrow(/^The data directory .* is in use by another/);
    whole.release();
    shareDataDirectory(root).release();
  });

  it("refuses a directory of something else", () => {
    writeFileSync(join(root, "thesis.txt"), "");
    expect(() => shareDataDirectory(root)).toThrow(/not Hostledger's \(thesis\.txt\)/);
  });
});

describe("claimDataDirectory", () => {
  it("creates the directory for its owner only", () => {
    const path = join(root, "a", "b");
    const directory = claimDataDirectory(path);
    expect(modeOf(path)).toBe("700");
    expect(directory.file("events.sqlite")).toBe(join(directory.path, "events.sqlite"));
    directory.release();
  });

  it("accepts an empty directory, and its own again", () => {
    claimDataDirectory(root).release();
    claimDataDirectory(root).release();
    expect(readdirSync(root).sort()).toEqual(["hostledger.json", "lock.sqlite"]);
  });

  it("follows a symbolic link, so that two names are one directory", () => {
    const path = join(root, "data");
    mkdirSync(path, { mode: 0o700 });
    symlinkSync(path, join(root, "link"));
    const directory = claimDataDirectory(path);
    expect(() => claimDataDirectory(join(root, "link"))).toThrow(/in use/);
    directory.release();
  });

  it("refuses a second claim until the first is released", () => {
    const first = claimDataDirectory(root);
    expect(() => claimDataDirectory(root)).toThrow(
      /^The data directory .* is in use by another running Hostledger: stop that one, or choose another directory\.$/,
    );
    first.release();
    first.release();
    claimDataDirectory(root).release();
  });

  it("names a damaged lock file, and the remedy", () => {
    claimDataDirectory(root).release();
    const lock = join(root, "lock.sqlite");
    writeFileSync(lock, "not a lock, and not a database either");
    const sentence = `The lock file ${lock} is damaged: make sure that no Hostledger uses ${root}, then remove the file.`;
    expect(() => claimDataDirectory(root)).toThrow(sentence);
    expect(() => shareDataDirectory(root)).toThrow(sentence);
    rmSync(lock);
    claimDataDirectory(root).release();
  });

  it("refuses a directory of something else and leaves it unchanged", () => {
    writeFileSync(join(root, "thesis.tex"), "");
    expect(() => claimDataDirectory(root)).toThrow(
      /holds files that are not Hostledger's \(thesis\.tex\): choose an empty or a new one\.$/,
    );
    expect(readdirSync(root)).toEqual(["thesis.tex"]);
  });

  it.each(["events.sqlite", "admin.token", "read-models", "tile"])(
    "reports the missing marker beside our %s",
    (name) => {
      writeFileSync(join(root, name), "");
      writeFileSync(join(root, "a-note.txt"), "");
      expect(() => claimDataDirectory(root)).toThrow(
        `holds Hostledger's ${name}, but the file hostledger.json is missing: restore it from a backup, or write {"program":"hostledger","format":1} into it.`,
      );
    },
  );

  it.each(["lock.sqlite", "hostledger.json.new", "lost+found"])(
    "accepts a directory with only %s",
    (name) => {
      writeFileSync(join(root, name), "");
      claimDataDirectory(root).release();
    },
  );

  it.each(["", "{", "[]", "{}", '{"format":"1"}'])("reports that a marker of %j is damaged", (content) => {
    writeFileSync(join(root, "hostledger.json"), content);
    expect(() => claimDataDirectory(root)).toThrow(/hostledger\.json is damaged: restore it/);
  });

  it("refuses the format of another version", () => {
    writeFileSync(join(root, "hostledger.json"), '{"format":2}');
    expect(() => claimDataDirectory(root)).toThrow(
      /another version of Hostledger \(format 2; this one reads 1\)/,
    );
  });

  it("reports a path that is a file, or runs through one", () => {
    const file = join(root, "file");
    writeFileSync(file, "");
    expect(() => claimDataDirectory(file)).toThrow(/file is not a directory\.$/);
    expect(() => claimDataDirectory(join(file, "data"))).toThrow(/data is not a directory\.$/);
  });

  it.each([0o720, 0o702, 0o1777])(
    "refuses one that others may write, and leaves it unchanged: mode %o",
    (mode) => {
      chmodSync(root, mode);
      const sentence = /^Others than its owner may write in the data directory .* set its mode to 0700\.$/;
      expect(() => claimDataDirectory(root)).toThrow(sentence);
      expect(() => shareDataDirectory(root, "account")).toThrow(sentence);
      expect(readdirSync(root)).toEqual([]);
      chmodSync(root, 0o755);
      claimDataDirectory(root).release();
    },
  );

  it("creates it for its owner only, with every umask", () => {
    const former = process.umask(0);
    try {
      const path = join(root, "data");
      claimDataDirectory(path).release();
      expect(modeOf(path)).toBe("700");
    } finally {
      process.umask(former);
    }
  });

  it("reports that this user may not write there", () => {
    chmodSync(root, 0o500);
    const isRoot = process.geteuid?.() === 0;
    try {
      // Root ignores permissions, so this call runs as another user.
      if (isRoot) process.seteuid?.(65_534);
      expect(() => claimDataDirectory(root)).toThrow(/^This user may not read and write /);
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(root, 0o700);
    }
  });

  it("releases the lock when the rest of the claim fails", () => {
    mkdirSync(join(root, "hostledger.json.new"));
    expect(() => claimDataDirectory(root)).toThrow(DataDirectoryError);
    rmSync(join(root, "hostledger.json.new"), { recursive: true });
    claimDataDirectory(root).release();
  });
});

describe("dataDirectorySentence", () => {
  it.each([
    ["EROFS", "The disk that holds /data is read-only."],
    ["EACCES", "This user may not read and write /data."],
    ["EPERM", "This user may not read and write /data."],
    ["ENOSPC", "The disk that holds /data is full."],
    ["EIO", "/data cannot be used: EIO: the system's words."],
  ])("has words for %s", (code, sentence) => {
    expect(dataDirectorySentence("/data", failing(code))).toBe(sentence);
  });
});

describe("dataDirectorySentence for SQLite's errors", () => {
  it.each([
    [8, "The disk that holds /data is read-only."],
    [13, "The disk that holds /data is full."],
  ])("has words for %i", (errcode, sentence) => {
    expect(dataDirectorySentence("/data", Object.assign(new Error("no"), { errcode }))).toBe(sentence);
  });
});

describe("secretFile", () => {
  it("makes the secret once, for its owner only", () => {
    const path = join(root, "admin.token");
    expect(secretFile(path, () => "first")).toBe("first");
    expect(secretFile(path, () => "second")).toBe("first");
    expect(modeOf(path)).toBe("600");
    expect(readFileSync(path, "utf8")).toBe("first\n");
    expect(readdirSync(root)).toEqual(["admin.token"]);
  });

  it("never puts a secret into a leftover that others may read", () => {
    const path = join(root, "admin.token");
    writeFileSync(`${path}.new`, "half", { mode: 0o644 });
    expect(secretFile(path, () => "whole")).toBe("whole");
    expect(modeOf(path)).toBe("600");
    expect(readFileSync(`${path}.new`, "utf8")).toBe("half");
  });

  it("is the first one's if several create it at once, and no other file stays", () => {
    const path = join(root, "admin.token");
    const made = secretFile(path, () => {
      // Another process created the file after this one had checked.
      expect(secretFile(path, () => "first")).toBe("first");
      return "second";
    });
    expect(made).toBe("first");
    expect(readdirSync(root)).toEqual(["admin.token"]);
  });

  it("refuses a secret that others can read", () => {
    const path = join(root, "admin.token");
    secretFile(path, () => "secret");
    chmodSync(path, 0o640);
    expect(() => secretFile(path, () => "")).toThrow(/Other users can read the secret in .*admin\.token/);
  });

  it("refuses an empty file", () => {
    const path = join(root, "admin.token");
    writeFileSync(path, "\n", { mode: 0o600 });
    expect(() => secretFile(path, () => "x")).toThrow(/admin\.token is empty/);
  });
});
