import { create, toBinary } from "@bufbuild/protobuf";
import { RejectionSchema } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { bounceMail } from "../testing/bounce-mail.ts";
import { leafCommands } from "../testing/command-tree.ts";
import { runCommand, staffToken } from "../testing/run-command.ts";
import { staffLines } from "../testing/staff-lines.ts";
import { startServer } from "../testing/staff-server.ts";

const environment = { HOSTLEDGER_ADMIN_TOKEN: staffToken };
/** Input of commands that read standard input; other commands ignore it. */
const input = [Buffer.from(bounceMail({ noticeId: `msg_${"0".repeat(32)}` }))];
const named = staffLines.map((line) => ({ name: line.join(" "), line }));

/** Starts a server that refuses every call in Connect's format (connectrpc.com/docs/protocol). */
function serverThatRefuses(status: number, code: string, rejection?: { code: string; message: string }) {
  const details = rejection && [
    {
      type: RejectionSchema.typeName,
      value: Buffer.from(toBinary(RejectionSchema, create(RejectionSchema, rejection))).toString("base64"),
    },
  ];
  return startServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ code, message: "what the wire says", details }));
  });
}

/** A port that the system never assigns to listeners on port 0, such as other tests. */
const closedPort = "http://127.0.0.1:2";

it("has a line for every command that calls an instance", async () => {
  const paths = (await leafCommands()).map(({ path }) => path.join(" "));
  const spoken = paths.filter((path) => /^(?:admin |bank |projections |reconcile$)/.test(path));
  expect(spoken.filter((path) => !named.some(({ name }) => `${name} `.startsWith(`${path} `)))).toEqual([]);
  expect(named).toHaveLength(spoken.length);
});

describe.each(named)("$name", ({ line }) => {
  it("answers a refusal with its sentence and exit code 1", async () => {
    const rejection = { code: "not-found", message: "There is no account 7." };
    await using server = await serverThatRefuses(404, "not_found", rejection);
    expect(await runCommand([...line, "--admin-url", server.url], environment, input)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "There is no account 7.\n",
    });
    expect(server.credentials).toEqual([`Bearer ${staffToken}`]);
  });

  it("answers exit code 3 when nothing listens", async () => {
    const outcome = await runCommand([...line, "--json", "--admin-url", closedPort], environment, input);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "" });
    expect(outcome.stderr).toMatch(/^The instance could not be reached: .*ECONNREFUSED.*\.\n$/);
  });

  it.each([["--no-such-option"], ["surplus", "surplus"]])(
    "answers exit code 2 for %s",
    async (...surplus) => {
      const outcome = await runCommand([...line, ...surplus], environment);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
      expect(outcome.stderr).toMatch(/^error: .*\n/);
    },
  );
});

describe("a refusal", () => {
  const line = ["admin", "account", "open", "--name", "Ada", "--admin-url"];

  it("explains the fault of each field", async () => {
    const rejection = {
      code: "validation-failed",
      message: "The request has a field that breaks its rule.",
      fieldErrors: [{ field: "name", messages: ["must be at most 200 characters."] }],
    };
    await using server = await serverThatRefuses(400, "invalid_argument", rejection);
    const { stderr } = await runCommand([...line, server.url], environment);
    expect(stderr).toBe(
      "The request has a field that breaks its rule. --name: must be at most 200 characters.\n",
    );
  });

  it("does not repeat a field that its sentence names", async () => {
    const rejection = {
      code: "validation-failed",
      message: "reason must be one line of well-formed text.",
      fieldErrors: [
        { field: "reason", messages: ["must be one line of well-formed text"] },
        { field: "name", messages: ["is required"] },
      ],
    };
    await using server = await serverThatRefuses(400, "invalid_argument", rejection);
    const { stderr } = await runCommand([...line, server.url], environment);
    expect(stderr).toBe("reason must be one line of well-formed text. --name: is required\n");
  });

  it.each([
    ["price set com --registration 10 --renewal 12 --transfer 10 --from soon", "validFrom", "--from"],
    ["plan edit 2 --price 9.99 --from soon", "valid_from", "--from"],
    ["plan edit 2 --price 9.99", "price_cents", "--price"],
    ["account credit 7 --amount 1 --reference R --reason T", "amountCents", "--amount"],
    ["account credit 7 --amount 1 --reference R --reason T", "accountId", "<id>"],
    ["account credit 7 --amount 1 --reference R --reason T", "vat_id", "vat id"],
    ["server suspend 7 --reason T", "publicReason", "--reason"],
    ["charge refund 2026-7-000001 --reason T", "chargeOrInvoice", "<charge-or-invoice>"],
    ["charge refund 2026-7-000001 --reason T", "somethingElse", "something else"],
  ])("names a field as the command's options do: %s, %s", async (words, field, name) => {
    const rejection = {
      code: "validation-failed",
      message: `${field} must be an instant.`,
      fieldErrors: [{ field, messages: ["must be an instant"] }],
    };
    await using server = await serverThatRefuses(400, "invalid_argument", rejection);
    const { exitCode, stderr } = await runCommand(
      ["admin", ...words.split(" "), "--admin-url", server.url],
      environment,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `${name} must be an instant.\n` });
  });

  it("carries no control character to the terminal", async () => {
    await using server = await serverThatRefuses(404, "not_found", {
      code: "not-found",
      message: "No \u001b[2J.",
    });
    expect((await runCommand([...line, server.url], environment)).stderr).toBe("No \u{fffd}[2J.\n");
  });

  it("of a busy instance is a refusal too, since it did answer", async () => {
    const rejection = { code: "overloaded", message: "The service is busy." };
    await using server = await serverThatRefuses(503, "unavailable", rejection);
    expect(await runCommand([...line, server.url], environment)).toMatchObject({ exitCode: 1 });
  });
});

describe("an answer that is no refusal", () => {
  const line = ["admin", "account", "show", "7", "--admin-url"];

  it.each([
    [401, "unauthenticated", 1, "The instance does not accept this staff token.\n"],
    [403, "permission_denied", 1, "The instance does not accept this staff token.\n"],
    [500, "internal", 1, "The instance failed: what the wire says.\n"],
    [503, "unavailable", 3, "The instance could not be reached: what the wire says.\n"],
    [
      504,
      "deadline_exceeded",
      3,
      "The instance did not answer in time; it may still have run the command.\n",
    ],
    [
      501,
      "unimplemented",
      3,
      "The server that answered is no staff listener of this version: what the wire says.\n",
    ],
  ])("of status %i, %s, is exit code %i", async (status, code, exitCode, stderr) => {
    await using server = await serverThatRefuses(status, code);
    expect(await runCommand([...line, server.url], environment)).toEqual({ exitCode, stdout: "", stderr });
  });

  it("of a web server is exit code 3", async () => {
    await using server = await startServer((_request, response) => response.end("<html>"));
    expect(await runCommand([...line, server.url], environment)).toMatchObject({ exitCode: 3, stdout: "" });
  });

  it("that breaks off exits with 3 and reports that it may have been done", async () => {
    await using server = await startServer((request) => request.socket.destroy());
    const outcome = await runCommand([...line, server.url], environment);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "" });
    expect(outcome.stderr).toContain("may still have run the command");
  });
});
