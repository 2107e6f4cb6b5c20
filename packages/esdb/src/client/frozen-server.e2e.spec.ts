import { describeFrozenServer } from "./frozen-server.fixture.ts";

// As long as it takes to be noticed; `frozen-server.long` has the true lengths.
describeFrozenServer({ frozenMs: 600, awayMs: 200, restMs: 200, answerMs: 200 });
