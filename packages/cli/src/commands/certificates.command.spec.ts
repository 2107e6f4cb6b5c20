import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createServer } from "node:tls";

import { listen } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { run } from "../cli.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { nothing } from "../testing/fake-system.ts";

const data = useDirectory();

async function certificates(...line: string[]) {
  const io = capturedIo();
  const loadSystem = () => Promise.resolve(nothing);
  const exitCode = await run(["certificates", ...line, "--json"], io, { loadSystem });
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

it("creates an authority and its certificates, once", async () => {
  const directory = join(data().path, "tls");
  const line = ["node1=kurrentdb-1,172.30.240.11", "node2=kurrentdb-2", "--directory", directory];
  const first = await certificates(...line);
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(first.stdout)).toEqual({ directory, made: ["node1", "node2"] });
  expect(readdirSync(directory).toSorted()).toEqual(
    ["ca.crt", "ca.key", "node1.crt", "node1.key", "node2.crt", "node2.key"].toSorted(),
  );
  for (const name of ["ca", "node1", "node2"])
    expect(statSync(join(directory, `${name}.key`)).mode & 0o777).toBe(0o600);
  const read = (name: string): string => readFileSync(join(directory, name), "utf8");
  const node = new X509Certificate(read("node1.crt"));
  expect(node.verify(new X509Certificate(read("ca.crt")).publicKey)).toBe(true);
  expect(node.subject).toBe("CN=eventstoredb-node");
  expect([node.checkHost("kurrentdb-1"), node.checkHost("kurrentdb-2")]).toEqual(["kurrentdb-1", undefined]);
  expect(node.checkIP("172.30.240.11")).toBe("172.30.240.11");
  // A node is both server and client.
  expect(node.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);

  const before = read("node1.crt");
  const again = await certificates(...line, "gateway=gateway-1");
  expect(JSON.parse(again.stdout)).toMatchObject({ made: ["gateway"] });
  expect(read("node1.crt")).toBe(before);
  expect(await handshake(read)).toBe("CN=eventstoredb-node");
});

it.each(["node1", "node1=", "ca=localhost", "../x=localhost", "a=b=c", "a=x y", `a=${"h,".repeat(32)}h`])(
  "refuses %s in one sentence",
  async (requested) => {
    const { exitCode, stderr } = await certificates(requested, "--directory", data().path);
    expect([exitCode, stderr.includes("NAME=HOST,HOST…")]).toEqual([2, true]);
    expect(readdirSync(data().path)).toEqual([]);
  },
);

it("reports why it cannot write", async () => {
  const file = join(data().path, "file");
  writeFileSync(file, "");
  const { exitCode, stderr } = await certificates("a=b", "--directory", file);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining(`The certificates cannot be made in ${file}: `),
  ]);
});

/** Connects two nodes with mutual TLS. @returns the client's name as the server saw it */
async function handshake(read: (name: string) => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ca = read("ca.crt");
  const own = (name: string) => ({ ca, cert: read(`${name}.crt`), key: read(`${name}.key`) });
  const server = createServer({ ...own("node1"), requestCert: true, rejectUnauthorized: true }, (socket) => {
    resolve(String(socket.getPeerX509Certificate()?.subject));
    socket.destroy();
    server.close();
  });
  const port = await listen(server);
  connect({ ...own("gateway"), host: "127.0.0.1", port }).once("error", reject);
  return promise;
}
