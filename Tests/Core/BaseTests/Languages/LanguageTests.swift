import Base
import Testing

@Test(arguments: [
  ("ja_JP.UTF-8", Language.japanese), ("ja", .japanese), ("de_AT.utf8@euro", .german), ("de_CH", .german),
  ("vi_VN", .vietnamese), ("en_GB.UTF-8", .english), ("zh_CN.UTF-8", .simplifiedChinese),
  ("zh_SG", .simplifiedChinese), ("zh_Hans", .simplifiedChinese), ("zh-Hans-HK", .simplifiedChinese),
])
func `a locale selects its language`(locale: String, language: Language) {
  #expect(Language(locale: locale) == language)
}

@Test(arguments: [
  "", "C", "POSIX", "C.UTF-8", "fr_FR.UTF-8", "zh_TW.UTF-8", "zh_HK", "zh", "zh_Hant_CN", "ja_JP.eucJP",
  "de_DE.ISO-8859-1", "_", ".UTF-8",
])
func `an unsupported language or character set selects none`(locale: String) {
  #expect(Language(locale: locale) == nil)
}

@Test(arguments: [
  (["LANG": "de_DE.UTF-8"], Language.german),
  (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"], .japanese),
  (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8", "LC_ALL": "vi_VN.UTF-8"], .vietnamese),
  (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "", "LC_ALL": ""], .german),
  (["LANG": "de_DE.UTF-8", "LC_ALL": "C"], .english),
  ([:], .english),
])
func `the first set variable decides`(environment: [String: String], language: Language) {
  #expect(Language(environment: { environment[$0] }) == language)
}
