// Print labelled articles: the test pages of mercury-parser (MIT), as its extractors read them.
//
// Each site has an extractor that was written for it, so a person chose what its text is. Needs
// a checkout of https://github.com/jocmp/mercury-parser, and its package from npm:
//
//     node bench/peers/mercury_articles.js CHECKOUT PACKAGE > mercury.jsonl

const fs = require('fs');
const path = require('path');

const CHARS_MIN = 300; // with less, the page is not an article
const [checkout, installed] = process.argv.slice(2);
const Parser = require(path.resolve(installed));
const custom = path.join(checkout, 'src/extractors/custom');

// The URLs and files of the pages of a test, in order.
function pagesOf(test) {
  const source = fs.readFileSync(test, 'utf8');
  const found = (pattern) => [...source.matchAll(pattern)].map((match) => match[1]);
  const urls = found(/url\s*=\s*['"`](https?:[^'"`]+)['"`]/g);
  const files = found(/['"`](\.\/fixtures\/[^'"`]+)['"`]/g);
  return urls.slice(0, files.length).map((url, place) => [url, files[place]]);
}

(async () => {
  for (const site of fs.readdirSync(custom)) {
    const test = path.join(custom, site, 'index.test.js');
    if (!fs.existsSync(test)) continue;
    for (const [place, [url, file]] of pagesOf(test).entries()) {
      const html = fs.readFileSync(path.join(checkout, file), 'utf8');
      const options = { html, fallback: false, contentType: 'text', fetchAllPages: false };
      const { content: text } = await Parser.parse(url, options);
      if (!text || text.length < CHARS_MIN) continue;
      const record = { set: 'mercury', id: `${site}-${place}`, url, type: 'article', html, text };
      process.stdout.write(`${JSON.stringify(record)}\n`);
    }
  }
})();
