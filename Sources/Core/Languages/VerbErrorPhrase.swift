/// Texts for errors in a command line that an owner typed.
package enum VerbErrorPhrase: Phrase {
  case empty, unknown, unknownNearest, noApp, noValue, noChoice, badApp, badNumber, badCount, badValue, badValueNearest
  case badPlace, badDecimal, surplus, accuracyOfNo, usage

  package var texts: Texts {
    switch self {
    case .empty:
      Texts(
        en: "The line is empty; help lists the verbs.", de: "Die Zeile ist leer; help zeigt die Verben.",
        ja: "何も入力されていません。help で一覧を表示します。", vi: "Chưa nhập gì; help liệt kê các lệnh.", zhHans: "没有输入内容；help 列出所有命令。")
    case .unknown:
      Texts(
        en: "Unknown verb “{word}”; help lists the verbs.", de: "Unbekanntes Verb „{word}“; help zeigt die Verben.",
        ja: "「{word}」という命令はありません。help で一覧を表示します。", vi: "Không có lệnh “{word}”; help liệt kê các lệnh.",
        zhHans: "没有命令“{word}”；help 列出所有命令。")
    case .unknownNearest:
      Texts(
        en: "Unknown verb “{word}”; did you mean {nearest}?", de: "Unbekanntes Verb „{word}“; war {nearest} gemeint?",
        ja: "「{word}」という命令はありません。{nearest} ですか？", vi: "Không có lệnh “{word}”; ý bạn là {nearest}?",
        zhHans: "没有命令“{word}”；是否指 {nearest}？")
    case .noApp:
      Texts(
        en: "The app is missing; apps lists the apps.", de: "Die App fehlt; apps zeigt die Apps.",
        ja: "アプリが指定されていません。apps で一覧を表示します。", vi: "Thiếu ứng dụng; apps liệt kê các ứng dụng.",
        zhHans: "缺少应用；apps 列出所有应用。")
    case .noValue:
      Texts(en: "The value is missing.", de: "Der Wert fehlt.", ja: "値がありません。", vi: "Thiếu giá trị.", zhHans: "缺少取值。")
    case .noChoice:
      Texts(
        en: "The answer is missing; prompts shows the answers.", de: "Die Antwort fehlt; prompts zeigt die Antworten.",
        ja: "回答が指定されていません。prompts で選択肢を表示します。", vi: "Thiếu câu trả lời; prompts liệt kê các câu trả lời.",
        zhHans: "缺少回答；prompts 列出可选的回答。")
    case .badApp:
      Texts(
        en: "“{word}” is not an app's name.", de: "„{word}“ ist kein Name einer App.", ja: "「{word}」はアプリの名前ではありません。",
        vi: "“{word}” không phải là tên ứng dụng.", zhHans: "“{word}”不是应用的名称。")
    case .badNumber:
      Texts(
        en: "“{word}” is not a prompt's number.", de: "„{word}“ ist keine Nummer einer Frage.",
        ja: "「{word}」は質問の番号ではありません。", vi: "“{word}” không phải là số của câu hỏi.", zhHans: "“{word}”不是提问的编号。")
    case .badCount:
      Texts(
        en: "“{word}” is not a number from 1 to {count}.", de: "„{word}“ ist keine Zahl von 1 bis {count}.",
        ja: "「{word}」は 1 から {count} までの数ではありません。", vi: "“{word}” không phải là số từ 1 đến {count}.",
        zhHans: "“{word}”不是 1 到 {count} 之间的数。")
    case .badValue:
      Texts(
        en: "“{word}” is not one of {value}.", de: "„{word}“ ist keines von {value}.",
        ja: "「{word}」は {value} のどれでもありません。", vi: "“{word}” không thuộc {value}.", zhHans: "“{word}”不在 {value} 之中。")
    case .badValueNearest:
      Texts(
        en: "“{word}” is not one of {value}; did you mean {nearest}?",
        de: "„{word}“ ist keines von {value}; war {nearest} gemeint?",
        ja: "「{word}」は {value} のどれでもありません。{nearest} ですか？", vi: "“{word}” không thuộc {value}; ý bạn là {nearest}?",
        zhHans: "“{word}”不在 {value} 之中；是否指 {nearest}？")
    case .badPlace:
      Texts(
        en: "“{word}” is not a place's name.", de: "„{word}“ ist kein Name eines Ortes.", ja: "「{word}」は場所の名前として使えません。",
        vi: "“{word}” không phải là tên địa điểm.", zhHans: "“{word}”不是地点的名称。")
    case .badDecimal:
      Texts(
        en: "“{word}” is not a valid number.", de: "„{word}“ ist keine gültige Zahl.", ja: "「{word}」は正しい数ではありません。",
        vi: "“{word}” không phải là số hợp lệ.", zhHans: "“{word}”不是有效的数。")
    case .surplus:
      Texts(
        en: "“{word}” is one word too many.", de: "„{word}“ ist ein Wort zu viel.", ja: "「{word}」は余分です。",
        vi: "“{word}” là từ thừa.", zhHans: "“{word}”是多余的。")
    case .accuracyOfNo:
      Texts(
        en: "The answer no cannot be combined with “{word}”.", de: "Die Antwort no schließt „{word}“ aus.",
        ja: "no には「{word}」を付けられません。", vi: "Khi trả lời no thì không có “{word}”.", zhHans: "回答 no 时不能带“{word}”。")
    case .usage:
      Texts(en: "Usage: {text}", de: "Aufruf: {text}", ja: "書き方：{text}", vi: "Cách viết: {text}", zhHans: "写法：{text}")
    }
  }
}
