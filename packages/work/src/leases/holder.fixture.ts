import { openPostgresLeases } from "./postgres-leases.adapter.ts";

/** A process that holds one lease until it is killed: `node holder.fixture.ts <url> <name>` writes `held` once it does. */
const [url = "", name = ""] = process.argv.slice(2);
const leases = await openPostgresLeases({ url });
const lease = await leases.tryAcquire(name);
process.stdout.write(lease === undefined ? "refused\n" : "held\n");
