/// Texts for the accuracy that a grant gives to an app. The raw values are the words of the line protocol.
package enum AccuracyPhrase: String, Phrase {
  case full, reduced, place

  package var texts: Texts {
    switch self {
    case .full: Texts(en: "precise", de: "genau", ja: "正確", vi: "chính xác", zhHans: "精确")
    case .reduced: Texts(en: "approximate", de: "ungefähr", ja: "おおよそ", vi: "gần đúng", zhHans: "大致")
    case .place: Texts(en: "place name", de: "Ortsname", ja: "場所の名前", vi: "tên địa điểm", zhHans: "地点名称")
    }
  }

  package var room: Int? { 12 }
}
