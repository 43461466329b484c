/*
 * SwiftPM can embed files too, as Swift arrays in one line of source code. The Swift compiler then needs more time for the
 * texts than for the rest of their target. The directive #embed (C23 §6.10.4) costs nothing.
 */
#include "onefix_resources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char texts_tsv[] = {
#embed "../../Core/Base/Languages/texts.tsv" suffix(, 0)
};
static const char page_html[] = {
#embed "../../Programs/Features/Page/Resources/page.html" suffix(, 0)
};
static const char page_css[] = {
#embed "../../Programs/Features/Page/Resources/page.css" suffix(, 0)
};
static const char page_js[] = {
#embed "../../Programs/Features/Page/Resources/page.js" suffix(, 0)
};
static const char session_js[] = {
#embed "../../Programs/Features/Page/Resources/session.js" suffix(, 0)
};
static const char views_js[] = {
#embed "../../Programs/Features/Page/Resources/views.js" suffix(, 0)
};
static const char repair_sh[] = {
#embed "../../Programs/Features/Checks/repair.sh" suffix(, 0)
};

const char *onefix_texts_tsv(void) { return texts_tsv; }
const char *onefix_page_html(void) { return page_html; }
const char *onefix_page_css(void) { return page_css; }
const char *onefix_page_js(void) { return page_js; }
const char *onefix_session_js(void) { return session_js; }
const char *onefix_views_js(void) { return views_js; }
const char *onefix_repair_sh(void) { return repair_sh; }
