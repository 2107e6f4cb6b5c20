import type { DocumentArchive } from "@hostledger/store/documents";
import { withAppend, type EventStore } from "@hostledger/store";

import { startInstance } from "./instance.ts";
import { restClient } from "./rest-client.ts";

/**
 * An instance that sells a domain and dies, as a power cut would end it, at a point between the charge and the event of the archived
 * document: `dying-archive.fixture.ts DATA API_KEY DOMAIN charged|rendered|pdf-stored|xml-stored|archived`.
 */
const [data = "", apiKey = "", domain = "", point = ""] = process.argv.slice(2);

/** The signal ends all threads before the call returns. */
function dieAt(reached: string): void {
  if (reached === point) process.kill(process.pid, "SIGKILL");
}

function store(opened: EventStore): EventStore {
  return withAppend(opened, async (stream, expected, events) => {
    const stored = await opened.append(stream, expected, events);
    if (events.some(({ type }) => type.startsWith("BalanceCharged."))) dieAt("charged");
    if (events.some(({ type }) => type.startsWith("DocumentArchived."))) dieAt("archived");
    return stored;
  });
}

function archive(opened: DocumentArchive): DocumentArchive {
  return {
    ...opened,
    async put(name, sealed) {
      dieAt("rendered");
      const stored = await opened.put(name, sealed);
      dieAt(`${name.format}-stored`);
      return stored;
    },
  };
}

const { HOSTLEDGER_DATABASE: database = "sqlite" } = process.env;
const environment = { HOSTLEDGER_DATABASE: database };
const instance = await startInstance({ data, environment, decorate: { store, archive } });
await restClient(instance.baseUrl, apiKey).post("/domains", { domain });
