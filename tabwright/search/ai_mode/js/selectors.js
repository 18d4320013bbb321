// The parts of a page by their attributes and roles, without class names and words of a language.

// Specific to AI Mode. If these are missing, the shape of the page is used.
const TURN = ['[data-xid="aim-mars-turn-root"]', "[data-tr-rsts]", '[data-scope-id="turn"]'];
const COLUMN = ['[data-container-id="main-col"]', '[data-xid="VpUvz"]'];
const ASIDE = '[data-xid*="aside"],[data-container-id="rhs-col"],aside,[role="complementary"]';
const ACTIONS = '[data-xid="Gd7Hsc"]';
const STOP = '[data-xid="ljhwxf"]';
const COMPOSER = '[data-xid="aim-mars-input-plate"],textarea[maxlength="8192"]';

// A form for an account, or a link to one. The header of every page has such a link, too.
const LOG_IN =
  'input[type="password"],input[name="identifier"],form[action*="//accounts.google."],' +
  ':is(main,[role="main"],[role="dialog"]) a[href*="//accounts.google."]';

// For any page.
const BUSY = '[aria-busy="true"],[role="progressbar"],[data-loading="true"]';
const BUTTON = 'button,[role="button"]';
const DIALOG = 'dialog,[role="dialog"]';
const QUESTION = '[role="heading"][aria-level="2"],h2';
const HEADING = 'h1,h2,h3,h4,h5,h6,[role="heading"]';
const BLOCKS = `p,ul,ol,table,pre,hr,blockquote,details,${HEADING}`;
const ALERT = '[role="alert"]';
const PANEL = '[role="tabpanel"]';
const UNREAD =
  `${DIALOG},[role="menu"],[role="tooltip"],[role="navigation"],nav,textarea,` +
  "input,select,style,script,template,noscript,svg,img,picture,video,audio,canvas,iframe," +
  "object,progress,meter";
