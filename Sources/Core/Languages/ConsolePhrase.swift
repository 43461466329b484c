/// Texts of the console.
package enum ConsolePhrase: Phrase {
  case wrongPIN, wait, greeting, ended, idle, gatewayLost, gatewayFound, noAnswer, help, quit

  package var texts: Texts {
    switch self {
    case .wrongPIN:
      Texts(
        en: "The PIN is wrong.", de: "Die PIN ist falsch.", ja: "PIN が違います。", vi: "PIN không đúng.", zhHans: "PIN 不正确。")
    case .wait:
      Texts(
        en: "The PIN can be entered in {count} s.", de: "Die PIN kann in {count} s eingegeben werden.",
        ja: "PIN は {count} 秒後に入力できます。", vi: "Có thể nhập PIN sau {count} giây.", zhHans: "{count} 秒后可以输入 PIN。")
    case .greeting:
      Texts(
        en: "OneFix {text}. help lists the verbs.", de: "OneFix {text}. help zeigt die Verben.",
        ja: "OneFix {text}。help で一覧を表示します。", vi: "OneFix {text}. help liệt kê các lệnh.",
        zhHans: "OneFix {text}。help 列出所有命令。")
    case .ended:
      Texts(
        en: "The session has ended.", de: "Die Sitzung ist beendet.", ja: "終了しました。", vi: "Phiên đã kết thúc.",
        zhHans: "会话已结束。")
    case .idle:
      Texts(
        en: "Nothing was typed for 5 minutes: the session has ended.",
        de: "5 Minuten ohne Eingabe: die Sitzung ist beendet.", ja: "5 分間入力がなかったため、終了しました。",
        vi: "Không nhập gì trong 5 phút: phiên đã kết thúc.", zhHans: "5 分钟没有输入：会话已结束。")
    case .gatewayLost:
      Texts(
        en: "The gateway no longer answers.", de: "Das Gateway antwortet nicht mehr.", ja: "ゲートウェイが応答しなくなりました。",
        vi: "Cổng không còn trả lời.", zhHans: "网关不再响应。")
    case .gatewayFound:
      Texts(
        en: "The gateway answers again.", de: "Das Gateway antwortet wieder.", ja: "ゲートウェイが再び応答しています。",
        vi: "Cổng đã trả lời lại.", zhHans: "网关已恢复响应。")
    case .noAnswer:
      Texts(
        en: "The gateway does not answer; nothing was done.",
        de: "Das Gateway antwortet nicht; es ist nichts geschehen.", ja: "ゲートウェイが応答しません。何も行われていません。",
        vi: "Cổng không trả lời; chưa có gì được thực hiện.", zhHans: "网关没有响应；未执行任何操作。")
    case .help:
      Texts(
        en: "this list, or the description of a verb", de: "diese Liste, oder die Beschreibung eines Verbs",
        ja: "この一覧、または命令の説明", vi: "danh sách này, hoặc một lệnh", zhHans: "此列表，或一个命令的说明")
    case .quit:
      Texts(en: "end the session", de: "die Sitzung beenden", ja: "終了する", vi: "kết thúc phiên", zhHans: "结束会话")
    }
  }

  package var room: Int? {
    switch self {
    // The description is printed beside the name of the command.
    case .help, .quit: 48
    case .wrongPIN, .wait, .greeting, .ended, .idle, .gatewayLost, .gatewayFound, .noAnswer: nil
    }
  }
}
