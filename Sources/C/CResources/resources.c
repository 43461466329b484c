/*
 * SwiftPM can embed files too, as Swift arrays in one line of source code. The Swift compiler then needs more time for the
 * texts than for the rest of their target. The assembler includes the same files at once. The directive #embed (C23)
 * would do this too, but Debian's clang 17 does not have it.
 */
#include "onefix_resources.h"

/* Without this condition, the compiler would not know that this file depends on the other files. */
#if !__has_include("Core/Base/Languages/texts.tsv") || !__has_include("Programs/Features/Page/Resources/page.html") || \
    !__has_include("Programs/Features/Page/Resources/page.css") || \
    !__has_include("Programs/Features/Page/Resources/page.js") || \
    !__has_include("Programs/Features/Page/Resources/session.js") || \
    !__has_include("Programs/Features/Page/Resources/views.js") || !__has_include("Programs/Features/Checks/repair.sh")
#error "a file of Sources is absent (see the list in resources.c)"
#endif

/* Defines the function that returns the content of a file. The path begins below Sources. */
#define RESOURCE(name, path)                                                                                           \
  __asm__(".pushsection .rodata\n" #name "_bytes:\n.incbin \"" path "\"\n.byte 0\n.popsection");                      \
  extern const char name##_bytes[] __attribute__((visibility("hidden")));                                             \
  const char *name(void) { return name##_bytes; }

RESOURCE(onefix_texts_tsv, "Core/Base/Languages/texts.tsv")
RESOURCE(onefix_page_html, "Programs/Features/Page/Resources/page.html")
RESOURCE(onefix_page_css, "Programs/Features/Page/Resources/page.css")
RESOURCE(onefix_page_js, "Programs/Features/Page/Resources/page.js")
RESOURCE(onefix_session_js, "Programs/Features/Page/Resources/session.js")
RESOURCE(onefix_views_js, "Programs/Features/Page/Resources/views.js")
RESOURCE(onefix_repair_sh, "Programs/Features/Checks/repair.sh")
