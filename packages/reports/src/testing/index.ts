export { hostileTexts, randomBooks } from "../books.fixture.ts";
