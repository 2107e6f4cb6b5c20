import type { server as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type * as schemas from "../schemas/catalogue.schema.ts";
import { euros } from "./money.view.ts";
import { present } from "./present.ts";

/** A plan. */
export function planView(plan: messages.Plan): z.infer<typeof schemas.plan> {
  return {
    id: Number(plan.id),
    cores: plan.cores,
    price: euros(plan.priceCents),
    title: plan.title,
    memory: plan.memoryGb,
    storage: plan.storageGb,
  };
}

/** A region. */
export function regionView(region: messages.Region): z.infer<typeof schemas.region> {
  return { id: Number(region.id), region: region.code, location: region.location };
}

/** A distribution. */
export function distroView(distro: messages.Distro): z.infer<typeof schemas.distro> {
  return { id: Number(distro.id), name: distro.name, version: distro.version };
}

/** Units of a plan in a region. */
export function stockEntryView(entry: messages.StockEntry): z.infer<typeof schemas.stockEntry> {
  return {
    stock: {
      plan: planView(present(entry.plan, "StockEntry.plan")),
      stock: entry.units,
      available: entry.units > 0,
    },
    region: regionView(present(entry.region, "StockEntry.region")),
  };
}
