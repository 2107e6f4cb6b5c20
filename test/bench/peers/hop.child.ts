import { openRpcListener } from "@hostledger/rpc";
import { silentLogger } from "@hostledger/runtime";

import { serveParent } from "../harness/child.ts";
import { hopInterceptors, hopService } from "./hop.ts";

/** A service in a process of its own; asked, it tells where it listens. */
const logger = silentLogger();
const listener = await openRpcListener({ host: "127.0.0.1", port: 0, logger });
listener.serve({ services: [hopService], interceptors: hopInterceptors });

serveParent(
  () => Promise.resolve(listener.url),
  () => listener.close(0),
);
