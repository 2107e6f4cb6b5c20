import { create, toBinary } from "@bufbuild/protobuf";
import { RejectionSchema } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { auditorCredential, startAuditServer } from "../testing/audit-server.ts";
import { runCommand, staffToken } from "../testing/run-command.ts";
import { startServer } from "../testing/staff-server.ts";

const auditor = { HOSTLEDGER_AUDITOR_CREDENTIAL: auditorCredential };
const lines = [
  ["events"],
  ["statement", "7"],
  ["balance", "7", "--as-of", "2026-01-01"],
  ["explain", "2026-7-000001"],
  ["journal", "--format", "csv"],
  ["verify", "--live"],
  ["reconcile"],
  // Files are written only after the instance has sent its checkpoint.
  ["export", "never-written"],
].map((line) => ({ name: line.join(" "), line: ["audit", ...line] }));

function serverThatRefuses(status: number, code: string, rejection?: { code: string; message: string }) {
  const details = rejection && [
    {
      type: RejectionSchema.typeName,
      value: Buffer.from(toBinary(RejectionSchema, create(RejectionSchema, rejection))).toString("base64"),
    },
  ];
  const error = { code, message: "what the wire says", details };
  return startServer((request, response) => {
    const isStream = request.headers["content-type"] === "application/connect+proto";
    if (!isStream) {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(error));
      return;
    }
    // The stream's last message contains the error (connectrpc.com/docs/protocol, "Error end-stream").
    const end = Buffer.from(JSON.stringify({ error }));
    const head = Buffer.alloc(5);
    head.writeUInt8(2, 0);
    head.writeUInt32BE(end.length, 1);
    response.writeHead(200, { "content-type": "application/connect+proto" }).end(Buffer.concat([head, end]));
  });
}

describe.each(lines)("$name", ({ line }) => {
  it("answers a refusal with its sentence and exit code 1", async () => {
    const rejection = { code: "not-found", message: "There is no such thing." };
    await using server = await serverThatRefuses(404, "not_found", rejection);
    const outcome = await runCommand([...line, "--audit-url", server.url], auditor);
    expect(outcome).toMatchObject({ exitCode: 1, stderr: "There is no such thing.\n" });
    expect(server.credentials).toEqual([`Bearer ${auditorCredential}`]);
  });

  it("reports that the credential is refused, for auditors and for staff", async () => {
    await using server = await serverThatRefuses(401, "unauthenticated");
    expect(await runCommand([...line, "--audit-url", server.url], auditor)).toMatchObject({
      exitCode: 1,
      stderr: "The instance does not accept this auditor credential.\n",
    });
    const staff = { HOSTLEDGER_ADMIN_TOKEN: staffToken };
    expect(await runCommand([...line, "--admin-url", server.url], staff)).toMatchObject({
      exitCode: 1,
      stderr: "The instance does not accept this staff token.\n",
    });
  });

  it("prints the instance's sentence about the credential, if there is one", async () => {
    const rejection = { code: "unauthenticated", message: "The auditor credential expired on 2026-01-01." };
    await using server = await serverThatRefuses(401, "unauthenticated", rejection);
    const { stderr } = await runCommand([...line, "--audit-url", server.url], auditor);
    expect(stderr).toBe("The auditor credential expired on 2026-01-01.\n");
  });

  it("answers exit code 3 when nothing listens", async () => {
    const server = await startServer((_request, response) => response.end());
    await server[Symbol.asyncDispose]();
    const outcome = await runCommand([...line, "--audit-url", server.url], auditor);
    expect(outcome).toMatchObject({ exitCode: 3 });
    expect(outcome.stderr).toMatch(/^The instance could not be reached: .*ECONNREFUSED.*\.\n$/u);
  });

  it.each([["--no-such-option"], ["surplus", "surplus"]])(
    "answers exit code 2 for %s",
    async (...surplus) => {
      expect(await runCommand([...line, ...surplus], auditor)).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});

describe("the address of an audit service", () => {
  const line = ["audit", "balance", "7", "--as-of", "2026-01-01"];
  const answer = { getBalanceAsOf: () => ({ balanceCents: 1n }) };

  it.each(["", "/", "/audit", "/audit/"])(
    "is found from the public address with %j behind it",
    async (path) => {
      await using server = await startAuditServer(answer, "public");
      expect(await runCommand([...line, "--audit-url", `${server.url}${path}`], auditor)).toMatchObject({
        exitCode: 0,
      });
    },
  );

  it.each([
    [["--audit-url", "ftp://127.0.0.1"], auditor, "--audit-url must be a URL"],
    [["--audit-url", "nonsense"], auditor, "--audit-url must be a URL"],
    [["--audit-url", "http://127.0.0.1"], {}, "HOSTLEDGER_AUDITOR_CREDENTIAL"],
    [
      ["--audit-url", "http://127.0.0.1"],
      { HOSTLEDGER_AUDITOR_CREDENTIAL: "a b" },
      "HOSTLEDGER_AUDITOR_CREDENTIAL",
    ],
    [
      ["--audit-url", "http://127.0.0.1", "--admin-url", "http://127.0.0.1"],
      auditor,
      "--admin-url for staff: name one",
    ],
    [
      ["--audit-url", "http://127.0.0.1", "--data", "x"],
      auditor,
      "--data for staff of this machine: name one",
    ],
    [["--admin-url", "http://127.0.0.1", "--data", "x"], {}, "--admin-url another one: name one"],
  ])("is wrong usage with %j", async (options, environment, sentence) => {
    const outcome = await runCommand([...line, ...options], environment);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    expect(outcome.stderr).toContain(sentence);
  });

  it("never gets the staff's token in place of an auditor's credential", async () => {
    await using server = await startAuditServer(answer, "public");
    const environment = { HOSTLEDGER_ADMIN_TOKEN: staffToken };
    expect(await runCommand([...line, "--audit-url", server.url], environment)).toMatchObject({
      exitCode: 2,
    });
    expect(server.credentials).toEqual([]);
  });
});
