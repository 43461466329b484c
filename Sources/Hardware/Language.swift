/// The languages in which people are addressed. (BCP 47 tags)
package enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
  case japanese = "ja"
  case vietnamese = "vi"
  case simplifiedChinese = "zh-Hans"
}
