import { server as messages } from "@hostledger/protocol";

import * as schemas from "../schemas/catalogue.schema.ts";
import { present, view } from "./view.codec.ts";

export const planView = view(messages.PlanSchema, schemas.plan, {
  memory: ({ memoryGb }) => memoryGb,
  storage: ({ storageGb }) => storageGb,
});

export const regionView = view(messages.RegionSchema, schemas.region, { region: ({ code }) => code });

export const distroView = view(messages.DistroSchema, schemas.distro, {});

export const stockEntryView = view(messages.StockEntrySchema, schemas.stockEntry, {
  stock: ({ plan, units }) => ({
    plan: planView(present(plan, "StockEntry.plan")),
    stock: units,
    available: units > 0,
  }),
  region: ({ region }) => regionView(present(region, "StockEntry.region")),
});
