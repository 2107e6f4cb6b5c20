import { generateSigner, verifyInclusion, type LogEvent } from "@hostledger/audit/log";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  about,
  events,
  key,
  program,
  right,
  runAs,
  signer,
  useBundle,
  type Answer,
} from "./bundle-under-test.fixture.ts";
import {
  checkpointOf,
  eventAt,
  movements,
  put,
  seal,
  writeBundle,
  ownMetadata,
} from "./verify-bundle.fixture.ts";

const bundle = useBundle();

describe("the program", () => {
  it.each([
    ["as it stands", "verify-bundle"],
    ["as a module", "verify-bundle.mjs"],
    ["as a CommonJS file", "verify-bundle.cjs"],
  ])("runs %s", (_, name) => {
    const file = join(bundle.path, name);
    copyFileSync(program, file);
    expect(runAs(file, bundle.path, ...key)).toEqual({ status: 0, findings: [right], error: "" });
    expect(runAs(file).status).toBe(2);
  });

  it("verifies in its own place, and is one file without dependencies", () => {
    expect(bundle.verify()).toEqual({ status: 0, findings: [right], error: "" });
    const text = readFileSync(program, "utf8");
    const imports = [...text.matchAll(/import\("([^"]+)"\)/gu)].map(([, name]) => name);
    expect(imports.every((name) => name?.startsWith("node:"))).toBe(true);
    expect(text).not.toMatch(/require\(|^import /mu);
  });

  it("reports that the bundle's own key proves only its completeness", () => {
    const answer = runAs(program, bundle.path);
    expect(answer).toMatchObject({ status: 0, findings: [right] });
    expect(answer.error).toContain("The key was taken from the bundle itself");
  });

  it("verifies a log without events, and one of 65,792 with a third level of tiles", () => {
    const empty = join(bundle.path, "empty");
    writeBundle(empty, [], [signer]);
    expect(runAs(program, empty, ...key)).toMatchObject({ status: 0 });
    const large = join(bundle.path, "large-log");
    const many: LogEvent[] = [];
    for (let n = 0; n < 65_792; n += 1) many.push(eventAt(n, `plan-${String(n)}`, 0, "PlanAdded.v1", {}));
    writeBundle(large, many, [signer]);
    expect(runAs(program, large, ...key)).toMatchObject({ status: 0 });
    bundle.path = large;
    bundle.flip("tile/0/013", 32);
    bundle.flip("tile/1/000", 32 * 200);
    bundle.flip("tile/2/000.p/1", 0);
    expect(bundle.verify()).toEqual({
      status: 1,
      findings: [
        "inclusion: event 3329 plan-3329@0 (PlanAdded.v1): its hash is not the one in tile/0/013",
        "tiles: tile/1/000: its hash 200 is not that of the events below it",
        "tiles: tile/2/000.p/1: its hash 0 is not that of the events below it",
      ],
      error: "",
    });
  });
});

describe("usage", () => {
  it.each([
    ["nothing", []],
    ["an unknown option", ["DIR", "--nope"]],
    ["a short option", ["DIR", "--since"]],
    ["two bundles", ["DIR", "DIR"]],
    ["an event and an invoice", ["DIR", "--event", "1", "--invoice", "1"]],
    ["what every object has", ["DIR", "--toString", "1"]],
  ])("shows its usage when given %s", (_, parameters) => {
    const answer = runAs(program, ...parameters.map((one) => (one === "DIR" ? bundle.path : one)));
    expect(answer).toMatchObject({ status: 2, findings: [] });
    expect(answer.error).toMatch(/^Usage: verify-bundle DIR .*\n$/u);
  });
});

describe("what is no bundle", () => {
  it.each<[string, string, string | undefined, string]>([
    ["a newer version", "manifest.json", '{"format":"hostledger-audit-bundle","version":3}', "has version 3"],
    ["another format", "manifest.json", '{"format":"zip","version":1}', "no bundle of Hostledger's"],
    ["a manifest that is nothing", "manifest.json", "null", "no bundle of Hostledger's"],
    ["a manifest that is cut", "manifest.json", '{"format":', "manifest.json is not JSON"],
    ["no manifest", "manifest.json", undefined, "manifest.json cannot be read"],
    ["no checkpoint", "checkpoint", undefined, "checkpoint cannot be read"],
    ["balances that are cut", "balances.json", "[{", "balances.json is not JSON"],
    ["balances without an account", "balances.json", "[null]", "a row that is no account"],
    ["balances that are no list", "balances.json", "{}", "balances.json is not a list"],
  ])("refuses %s", (_, path, text, sentence) => {
    if (text === undefined) rmSync(join(bundle.path, path));
    else writeFileSync(join(bundle.path, path), text);
    const answer = bundle.verify();
    expect(answer).toMatchObject({ status: 2, findings: [] });
    expect(answer.error).toContain(sentence);
    expect(answer.error.trim().split("\n")).toHaveLength(1);
  });

  it("refuses a missing directory, and a file in its place", () => {
    expect(runAs(program, join(bundle.path, "nowhere"), ...key)).toMatchObject({ status: 2 });
    expect(runAs(program, program, ...key)).toMatchObject({ status: 2 });
  });

  it.each([
    "",
    "x",
    "a+b+c",
    `${signer.verifierKey}x`,
    signer.verifierKey.replace("test", "tost"),
    "\u001b[31m",
  ])("refuses the key %j", (one) => {
    const answer = runAs(program, bundle.path, "--key", one);
    expect(answer).toMatchObject({ status: 2, findings: [] });
    expect(answer.error).not.toContain("\u001b");
  });

  it("refuses a bundle without its key, unless a key is given", () => {
    rmSync(join(bundle.path, "key"));
    expect(runAs(program, bundle.path)).toMatchObject({ status: 2, error: "key cannot be read.\n" });
    expect(bundle.verify().status).toBe(0);
  });
});

describe("signature", () => {
  it("finds the wrong key", () => {
    const other = generateSigner(signer.name).verifierKey;
    expect(runAs(program, bundle.path, "--key", other)).toEqual({
      status: 1,
      findings: ["signature: checkpoint: none of the keys has signed it"],
      error: "",
    });
  });

  it("finds every change of the checkpoint", () => {
    const text = readFileSync(join(bundle.path, "checkpoint"), "utf8");
    for (const changed of [
      text.replace("600", "599"),
      text.replace("hostledger/test\n", "hostledger/best\n"),
      text.replace("— hostledger", "- hostledger"),
      text.slice(0, -1),
      text.slice(0, 40),
      "",
      checkpointOf(events, [generateSigner(signer.name)]),
    ]) {
      writeFileSync(join(bundle.path, "checkpoint"), changed);
      const answer = bundle.verify();
      expect(answer.status).toBe(1);
      expect(answer.findings).toHaveLength(1);
      expect(answer.findings[0]).toMatch(/^signature: checkpoint: /u);
    }
  });

  it("accepts both keys of a rotation, and either", () => {
    const next = generateSigner(signer.name);
    put(bundle.path, "checkpoint", checkpointOf(events, [signer, next]));
    seal(bundle.path, events.length, [signer, next]);
    const both = ["--key", next.verifierKey, ...key];
    expect(runAs(program, bundle.path, ...both)).toMatchObject({ status: 0 });
    expect(bundle.verify()).toMatchObject({ status: 0 });
    // The earlier checkpoint was signed before the rotation.
    const later = runAs(program, bundle.path, "--key", next.verifierKey);
    expect(later.findings).toEqual(["consistency: checkpoints/300: none of the keys has signed it"]);
  });

  it("finds a manifest that names another log", () => {
    bundle.change("manifest.json", (bytes) =>
      Buffer.from(String(bytes).replace("hostledger/test", "another")),
    );
    expect(about(bundle.verify(), "signature")[0]).toContain("manifest.json: it names another log or size");
  });
});

describe("files", () => {
  it("finds a changed file, a missing one, and a manifest without a signature", () => {
    bundle.flip("README.txt", 3);
    expect(bundle.verify().findings).toEqual([
      "files: README.txt: its SHA-256 is not the one in manifest.json: it was changed",
    ]);
    rmSync(join(bundle.path, "README.txt"));
    expect(bundle.verify().findings).toEqual(["files: README.txt: it is missing"]);
    bundle.restore();
    rmSync(join(bundle.path, "manifest.note"));
    expect(bundle.verify().findings).toEqual([
      "signature: manifest.note: it is missing: nobody signed manifest.json",
    ]);
  });

  it("reads a bundle of version 1, which has no list of files, and names the unchecked parts", () => {
    rmSync(join(bundle.path, "manifest.note"));
    bundle.change("manifest.json", (bytes) =>
      Buffer.from(JSON.stringify({ ...JSON.parse(String(bytes)), version: 1, files: undefined })),
    );
    const answer = bundle.verify();
    expect(answer).toMatchObject({ status: 0, findings: [right] });
    expect(answer.error).toContain("no signature covers its schemas");
  });
});

describe("consistency", () => {
  const since = (note: string): Answer => {
    put(bundle.path, "kept", note);
    return bundle.verify("--since", join(bundle.path, "kept"));
  };

  it("accepts every checkpoint of this log, and several", () => {
    for (const count of [0, 1, 256, 257, 600])
      expect(since(checkpointOf(events.slice(0, count), [signer])).status).toBe(0);
    const one = join(bundle.path, "checkpoints/300");
    expect(bundle.verify("--since", one, "--since", join(bundle.path, "checkpoint")).status).toBe(0);
  });

  it("finds a log that was rewritten and signed again", () => {
    const rewritten = movements(600).map((event, at) =>
      at === 12 ? { ...event, metadata: ownMetadata.replace("account:7", "account:8") } : event,
    );
    const path = join(bundle.path, "rewritten");
    writeBundle(path, rewritten, [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({ status: 0 });
    const answer = runAs(program, path, ...key, "--since", join(bundle.good, "checkpoints/300"));
    expect(answer).toMatchObject({
      status: 1,
      findings: [
        expect.stringContaining("the first 300 events are not those that it signed: the log was rewritten"),
      ],
    });
  });

  it("finds a checkpoint of another log, of a larger size, by another key, and an invalid one", () => {
    const other = checkpointOf(events.slice(0, 5), [signer], "hostledger/other");
    expect(since(other).findings[0]).toContain("it is of another log, hostledger/other");
    expect(since(checkpointOf(movements(601), [signer])).findings[0]).toContain(
      "it signed 601 events, and the log has only 600",
    );
    const stranger = generateSigner(signer.name);
    expect(since(checkpointOf(events.slice(0, 5), [stranger])).findings[0]).toContain("none of the keys");
    expect(since("nothing").findings[0]).toContain("it is no signed note");
    expect(since("")).toMatchObject({ status: 1 });
    expect(bundle.verify("--since", join(bundle.path, "nowhere"))).toMatchObject({ status: 2, findings: [] });
  });
});

describe("proofs", () => {
  const valuesOf = ({ findings }: Answer, name: string): readonly string[] =>
    findings.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const bytes = (text: string | undefined): Uint8Array => Buffer.from(text ?? "", "hex");

  it.each([0, 1, 255, 256, 511, 512, 599])("proves event %i, and another program agrees", (index) => {
    const answer = bundle.verify("--event", String(index));
    expect(answer.status).toBe(0);
    expect(answer.findings[0]).toContain(`proof: event ${String(index)} account-7@${String(index)} (`);
    expect(answer.findings.at(-1)).toBe(right);
    const [leafHash, root_] = [bytes(valuesOf(answer, "leaf")[0]), bytes(valuesOf(answer, "root")[0])];
    const proof = valuesOf(answer, "path").map(bytes);
    expect(valuesOf(answer, "size")).toEqual(["600"]);
    expect(verifyInclusion({ index, size: 600, leafHash, proof, root: root_ })).toBe(true);
  });

  it("proves the event of an invoice", () => {
    const answer = bundle.verify("--invoice", "2026-7-309");
    expect(answer.status).toBe(0);
    expect(answer.findings[0]).toContain("proof: event 309 account-7@309 (InvoiceIssued.v2)");
  });

  it("finds that a tile on the way is not the log's, and proves nothing then", () => {
    bundle.flip("tile/0/000", 32);
    const answer = bundle.verify("--event", "0");
    expect(answer.status).toBe(1);
    expect(about(answer, "inclusion").at(-1)).toContain("its proof does not lead to the signed root");
    rmSync(join(bundle.path, "tile/0/000"));
    expect(about(bundle.verify("--event", "0"), "inclusion").at(-1)).toContain("tile/0/000 is missing");
  });

  it.each(["600", "-1", "x", "1e1", ""])("reports that there is no event %j", (index) => {
    const answer = bundle.verify("--event", index);
    expect(answer).toMatchObject({ status: 2, findings: [] });
    expect(answer.error).toContain("The log has 600 events, the first one is event 0");
  });

  it("reports that the log has no such invoice", () => {
    const answer = bundle.verify("--invoice", "2026-7-308");
    expect(answer).toMatchObject({ status: 2, findings: [] });
    expect(answer.error).toContain("no invoice, receipt or correction of the number 2026-7-308");
  });
});
