/**
 * `pnpm test:eventstore` runs the event store contract on the server that EVENTSTORE_URL names. It leaves its streams
 * behind (their names begin with `contract`), so the server should be one for tests.
 */
const { EVENTSTORE_URL: url = "" } = process.env;

if (url === "") {
  console.error(
    "Set EVENTSTORE_URL to a server for tests, for example EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' pnpm test:eventstore",
  );
  process.exitCode = 1;
} else {
  process.argv.push("packages/esdb/src/client/real-server");
  await import("./test-all.ts");
}
