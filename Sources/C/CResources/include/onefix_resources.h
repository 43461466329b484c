/* Files of this repository inside the programs. Each function returns the content of its file, which ends with a null byte. */
#ifndef ONEFIX_RESOURCES_H
#define ONEFIX_RESOURCES_H

/* The texts for users in every language. */
const char *onefix_texts_tsv(void);

/* The owners' web page. */
const char *onefix_page_html(void);
const char *onefix_page_css(void);
const char *onefix_page_js(void);
const char *onefix_session_js(void);
const char *onefix_views_js(void);

/* The shell functions of the script that repairs the findings of `onefixd check`. */
const char *onefix_repair_sh(void);

#endif
