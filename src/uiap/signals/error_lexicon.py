"""The words with which pages refuse, by language. Knows words only; `error_words` applies them.

Besides errors these are the words for what is taken, full, locked, expired, over a limit or not permitted. They refuse
whatever else a message says. Weaker words, which also occur in messages of success, are in `limiting_words`.
"""

from __future__ import annotations

ERROR_WORDS = {
    "English": r"""
        (?:connection|contact|signal) (?:was )?lost | lost (?:the )?(?:connection|contact) | no (?:contact|connection) |
        reverted | rolled back | undone |
        errors? | fail(?:ed|ure|ures|s)? | invalid | declin(?:ed|es) | denied | reject(?:ed|s|ion)? | refused |
        (?:could|can|was|were|is|are|has|have|did|does|do|may|will)(?: not|n[’']?t) (?:be )?\w+ | cannot |
        can[’']t (?:be )?\w+ | prohibited |
        unable to | retry | incorrect | wrong \w+ | unsupported | interrupted | unreachable |
        disconnected | sorry |
        unfortunately | blocked | banned | mismatch(?:ed)? |
        not (?:yet )?(?:been )?(?:saved|sent|found|allowed|valid|accepted|possible|available|permitted|
        authori[sz]ed|deleted|removed|added|created|updated|changed|uploaded|delivered|processed|completed|
        published|booked|reserved|moved|applied|submitted|registered|imported|eligible|enough|supported|stored|
        confirmed|approved) | expired | try (?:it )?again |
        (?:try|come|check) (?:again|back) (?:later|tomorrow|soon) | come back (?:later|tomorrow) |
        already (?:exists?|taken|in use|used|redeemed|claimed|assigned|occupied) | (?:is|are|been|was) taken |
        already (?:has|have|registered|booked|voted|reserved|applied) |
        (?:has|have) (?:\w+ )?(?:voted|applied|redeemed) before | conflict | forbidden |
        unauthori[sz]ed | oops |
        something went wrong | went wrong | timed? ?out | is required | are required |
        (?:need|needs|have|has) to be (?:the|a|an|at|signed|logged|in|between|filled) |
        must (?:be|have|contain|not|match|include|agree|accept|choose|select|enter) |
        too (?:short|long|large|many|small|few|late|early|soon|weak|big|low|high|often|much|old|young|far) |
        exceed(?:ed|s) | insufficient | no longer | aborted | unavailable | at most | at least \d+ |
        no more than \d+ | (?:limit|maximum|quota) (?:reached|exceeded|of|is) |
        (?:reached|exceeded|hit) (?:the|your|our|its) (?:\w+ ){0,2}(?:limit|quota|maximum) | sold out |
        out of (?:stock|credits?|range|space) | run out of | fully booked | not enough | none left |
        no (?:more )?(?:free )?(?:seats?|places?|spots?|slots?|rooms?|tickets?|units?|credits?|copies|
        appointments?) (?:left|available|remaining|free) |
        (?:locked|in use|checked out|being edited|opened) by (?!you\b)\w+ | (?:open|opened) in another |
        read[- ]only | part of the \w+ plan | your (?:\w+ )?plan (?:includes|allows|only|does|covers|has) |
        only (?:admins?|administrators?|owners?|members?|managers?|moderators?|editors?|the \w+) (?:can|may) |
        one \w+ per \w+ | (?:sign|log) in again | (?:must|please|need to|have to) (?:first )?(?:sign|log) in |
        (?:need to|must) be (?:signed|logged) in | no (?:permission|access) |
        (?:choose|pick|select|use|try|enter|take) (?:another|a different|some other) |
        please (?:enter|correct|fill|choose|select|provide|check|pick|review|fix|complete)
    """,
    "German": r"""
        fehler\w* | fehlgeschlagen | ungueltig\w* | ungültig\w* | abgelehnt | verweigert | leider | gesperrt |
        blockiert |
        nicht (?:gespeichert|gesendet|gefunden|erlaubt|möglich|moeglich|verfügbar|verfuegbar|gültig|zulässig|
        gestattet|berechtigt|ausreichend|gelöscht|geändert|übernommen|angenommen|ausgeführt|erreichbar|
        abgeschlossen|gebucht|mehr \w+) | konnten? nicht | kann nicht | können nicht | darf nicht |
        stimm(?:t|en) nicht | reicht nicht | abgelaufen | erneut versuchen |
        versuchen sie es (?:bitte )?(?:später|erneut|noch einmal|nochmals) |
        (?:bereits|schon) (?:vorhanden|vergeben|registriert|gebucht|belegt|besetzt|verwendet|genutzt|
        in verwendung) | (?:ist|sind) (?:vergeben|belegt|besetzt) | höchstens | mindestens \d+ | ausverkauft |
        nicht genug | nicht genügend | unzureichend | überschritten |
        (?:limit|grenze|maximum|höchstzahl) erreicht |
        kein\w* (?:\w+ )?(?:berechtigung|zugriff|plätze|termine|verbindung|guthaben|rechte) |
        kein\w* \w+ (?:mehr|frei|übrig|verfügbar) | ausgebucht | falsch\w* | pflichtfeld | erforderlich |
        fehlend\w* | zu (?:kurz|lang|groß|klein|viele|wenige?|alt|spät|früh|hoch|niedrig) |
        (?:zuerst|erneut) (?:anmelden|einloggen) | melden sie sich (?:bitte )?(?:(?:erneut|zuerst|wieder) )?an |
        wählen sie (?:bitte )?(?:ein\w* ander\w+|etwas anderes) |
        bitte (?:geben|wählen|prüfen|füllen|korrigieren|melden) | misslungen | gescheitert
    """,
    "French": r"""
        erreurs? | échec\w* | échou\w+ | invalides? | refusée?s? | impossible | obligatoires? | expirée?s? |
        n[’'](?:est|a|ont|êtes|avez|existe|était|y a) (?:plus|pas|jamais) |
        ne (?:\w+ ){1,2}(?:plus|pas)(?: \w+)? |
        plus (?:disponibles?|de places?|en stock|valables?) | réessay\w+ | existe déjà |
        déjà (?:prise?s?|utilisée?s?|réservée?s?|inscrite?s?|attribuée?s?|enregistrée?s?) | introuvables? |
        incorrecte?s? | interdite?s? | indisponibles? | insuffisant\w* | dépassée?s? | manquante?s? |
        non (?:autorisée?s?|valides?|disponibles?|trouvée?s?|enregistrée?s?) | limite atteinte | bloquée?s? |
        au (?:plus|maximum|moins) \d+ | épuisée?s? | désolée?s? | malheureusement |
        trop (?:court\w*|long\w*|grande?s?|petite?s?|tard|tôt|de|élevée?s?) | choisissez (?:un|une) autre |
        veuillez (?:saisir|choisir|entrer|corriger|vérifier|réessayer|sélectionner|remplir|vous (?:re)?connecter)
    """,
    "Spanish": r"""
        errores | fall[oó] | fallid[oa]s? | inv[aá]lid[oa]s? | rechazad[oa]s? | denegad[oa]s? |
        no se (?:pudo|ha podido|puede)\w* | reintentar | no quedan? |
        no hay (?:plazas?|existencias|stock|saldo|suficiente\w*|disponib\w+) |
        no (?:está|están|es|son) (?:disponibles?|válid[oa]s?|posible|permitid[oa]s?) |
        no (?:tiene|dispone de|cuenta con) (?:\w+ )?(?:permisos?|acceso|saldo|suficiente\w*) |
        no permitid[oa]s? |
        no (?:disponible|encontrad[oa]|autorizad[oa])s? | prohibid[oa]s? | insuficientes? | superad[oa]s? |
        obligatori[oa]s? | caducad[oa]s? | caducó | expirad[oa]s? | expiró | vencid[oa]s? |
        vuelva a intentarlo |
        inténtel[oa] | inténtal[oa] | ya existe |
        ya est[áa]n? (?:en uso|ocupad[oa]s?|registrad[oa]s?|reservad[oa]s?) | incorrect[oa]s? | como máximo |
        al menos \d+ | agotad[oa]s? | bloquead[oa]s? | ocupad[oa]s? | límite (?:alcanzado|superado) |
        demasiad[oa]s? | (?:elija|elige|seleccione|escoja) otr[oa] |
        debe (?:iniciar|ser|tener|introducir|seleccionar|indicar) | lo sentimos | lamentablemente
    """,
    "Italian": r"""
        errore | errori | fallit[oa] | non valid[oa] | rifiutat[oa] | negat[oa] | impossibile |
        non è stato possibile | obbligatori[oa] | scadut[oa] | riprova\w* | esiste già | al massimo |
        non (?:è|sono) (?:più )?(?:disponibil[ei]|possibile|consentit[oaie]|valid[oaie]|corrett[oaie]|
        autorizzat[oaie]) | già (?:in uso|pres[oa]|utilizzat[oa]|registrat[oa]|prenotat[oa]|esistente) |
        insufficient[ei] | limite (?:raggiunto|superato) | scegli\w* un[’' ]?altr[oa] | tropp[oie] | purtroppo |
        spiacent[ei] | non (?:disponibile|consentito|trovato|salvato) | bloccat[oa] |
        deve (?:essere|contenere) |
        almeno \d+ | esaurit[oaie]
    """,
    "Portuguese": r"""
        erros? | falha\w* | falhou | inválid[oa]s? | recusad[oa] | negad[oa] | não foi possível |
        obrigatóri[oa] |
        expirad[oa] | tente (?:novamente|mais tarde|outr[oa]) | já existe | incorret[oa] | no máximo |
        não (?:há|tem|possui) (?:mais|vagas|saldo|permissão|acesso|suficiente)\w* | não (?:pode|podem) \w+ |
        não (?:está|estão|é|são) (?:mais )?(?:disponíve(?:l|is)|possível|permitid[oa]s?|válid[oa]s?) |
        não (?:disponível|permitid[oa]|encontrad[oa]|autorizad[oa]|salv[oa]) |
        já (?:está em uso|foi usad[oa]|cadastrad[oa]|registrad[oa]|reservad[oa]) | insuficientes? |
        limite (?:atingido|excedido) | escolha outr[oa] | infelizmente | desculpe | bloquead[oa] |
        pelo menos \d+ |
        esgotad[oa]s?
    """,
    "Dutch": r"""
        fout\w* | mislukt | ongeldig\w* | geweigerd | afgewezen | kon niet | kan niet | verplicht | verlopen |
        probeer \w+ (?:opnieuw|later) | bestaat al | hoogstens | minstens \d+ | onvoldoende |
        helaas | geblokkeerd |
        al (?:in gebruik|bezet|gereserveerd|geregistreerd) | limiet (?:bereikt|overschreden) |
        kies een ander\w* |
        te (?:kort|lang|groot|veel|laat|klein) | uitverkocht |
        niet (?:opgeslagen|gevonden|toegestaan|beschikbaar|mogelijk|geldig|voldoende|genoeg|meer \w+)
    """,
    "Polish": r"""
        błąd\w* | błęd\w+ | nieprawidłow\w+ | nie udało się | nie można | odrzucon\w+ |
        odmówion\w+ | wymagan\w+ |
        wygasł\w* | spróbuj ponownie | już (?:istnieje|zajęt\w+|zarejestrowan\w+) | co najwyżej |
        nie ma (?:już|wolnych|uprawnień|dostępu) | nie masz \w+ | niedostępn\w+ | zajęt[yea] |
        niewystarczając\w+ |
        (?:osiągnięto|przekroczono) limit\w* | przekroczon\w+ | wybierz inn\w+ | niestety | zablokowan\w+ |
        za (?:krótk\w+|dług\w+|duż\w+|późno|mało) | co najmniej \d+ | wyprzedan\w+
    """,
    "Turkish": r"""
        hata\w* | başarısız | geçersiz | reddedildi | yapılamadı | kaydedilemedi | zorunlu\w* | süresi doldu |
        tekrar deneyin | zaten (?:var|mevcut|kullanılıyor|kayıtlı) | bulunamadı | en fazla \d+ | en az \d+ |
        (?:mevcut|müsait|uygun|geçerli) değil | kullanılamaz | yetersiz | limit\w* (?:aşıldı|doldu) |
        başka bir \w+ (?:seçin|deneyin) | maalesef | üzgünüz | engellendi | yetkiniz yok | alınmış |
        izin verilmiyor | giriş yapmalısınız | tükendi
    """,
    "Russian": r"""
        ошибк\w+ | неверн\w+ | недопустим\w+ | отклонен\w* | отклонён\w* | отказано | не удалось | невозможно |
        обязательн\w+ | истек\w* | истёк\w* | попробуйте (?:снова|ещё раз|еще раз|позже) |
        уже (?:существует|занят\w*|использ\w+|зарегистрирован\w*|забронирован\w*) | не найден\w* | недоступ\w+ |
        нет (?:мест|доступа|прав|в наличии) | недостаточно | превышен\w* | выберите друг\w+ | к сожалению |
        извините | заблокирован\w* | запрещ[её]н\w* | не (?:сохран[её]н\w*|отправлен\w*|хватает|подходит) |
        не более \d+ | не менее \d+ | распродан\w*
    """,
    "Swedish, Danish, Norwegian": r"""
        ett fel | felaktig\w* | felmeddelande | fejl\w* | feil\w* | misslyckad\w* | misslyckades |
        mislykkedes | mislyktes | ogiltig\w* | ugyldig\w* |
        nekad\w* | afvist | avvist | avslag\w* | kunde inte | kunne ikke | kan inte | kan ikke |
        går inte | gick inte |
        redan (?:tagen|taget|upptagen|upptaget|registrerad|bokad) |
        allerede (?:i brug|i bruk|optaget|opptatt|taget) |
        försök igen | prøv igen | prøv igjen | tyvärr | desværre | dessverre | utgång(?:en|et) |
        udløbet | utløpt |
        slutsåld\w* | udsolgt | utsolgt | spärrad\w* | otillräcklig\w* | inte tillåt\w* |
        ikke tilladt | ikke tillatt |
        inte (?:tillgänglig\w*|möjligt|hittas|sparad\w*) |
        ikke (?:tilgængelig\w*|tilgjengelig\w*|muligt|mulig|fundet|funnet)
    """,
    "Finnish": r"""
        virhe\w* | epäonnistu\w* | virheelli\w+ | hylätty | hylättiin |
        ei (?:voitu|voi|voida|onnistunut|löydy|löytynyt|
        ole (?:enää )?(?:saatavilla|sallittu|käytettävissä|mahdollista)|riitä) | pakollinen |
        vanhentunut | varattu |
        on jo (?:käytössä|varattu|olemassa) | yritä uudelleen | valitettavasti | loppuunmyyty |
        estetty | täynnä | liian \w+
    """,
    "Czech, Slovak": r"""
        chyba: | chybě | chybu | chyby | selhal\w* | zlyhal\w* | neplatn\w+ | nespráv\w+ |
        zamítnut\w* | odmítnut\w* | odmietnut\w* |
        nelze | nemůžete | nemôžete | nepodařilo se | nepodarilo sa | povinn\w+ | vypršel\w* |
        již existuje | už existuje |
        (?:již|už|je) (?:obsazen\w*|zabran\w*|obsaden\w*) | zkuste to znovu | bohužel | bohužiaľ | vyprodán\w* |
        vypredan\w* | zablokován\w* | nedostupn\w+ | nedostatek |
        není (?:možné|volný|volná|volné|dostupn\w+|povolen\w*) |
        zvolte (?:prosím )?jin\w+ | vyberte (?:prosím )?jin\w+ | zavřen\w*
    """,
    "Hungarian": r"""
        hiba\w* | sikertelen\w* | érvénytelen\w* | elutasít\w+ |
        nem (?:sikerült|lehet|található|elérhető|engedélyezett|
        menthető) | kötelező | lejárt | már (?:létezik|foglalt|használatban) | próbálja újra |
        sajnos | elfogyott | betelt
    """,
    "Romanian": r"""
        eroare | erori | eșuat\w* | nevalid\w* | invalid\w* | respins\w* | refuzat\w* |
        nu (?:s-a putut|poate|se poate|
        este (?:disponibil\w*|permis\w*|posibil)|a putut|există) | obligatori\w* | expirat\w* |
        deja (?:există|folosit\w*|
        ocupat\w*|rezervat\w*) | încercați din nou | din păcate | epuizat\w* | blocat\w*
    """,
    "Greek": r"""
        σφάλμα\w* | λάθος | απέτυχε | αποτυχία | άκυρ\w+ | απορρίφθηκε |
        δεν (?:ήταν δυνατή|είναι (?:διαθέσιμ\w+|δυνατή|έγκυρ\w+)|
        βρέθηκε|επιτρέπεται|μπορεί\w*|υπάρχ\w+) | υποχρεωτικ\w+ | έληξε | ήδη (?:υπάρχει|σε χρήση|κρατημέν\w+) |
        δοκιμάστε ξανά | δυστυχώς | εξαντλήθηκ\w+
    """,
    "Ukrainian": r"""
        помилк\w+ | невірн\w+ | недійсн\w+ | неправильн\w+ | відхилено | відмовлено | не вдалося | неможливо |
        обов[’']язков\w+ | вже (?:існує|зайнят\w+|використ\w+|заброньован\w+) | спробуйте (?:ще раз|пізніше) |
        на жаль | недоступн\w+ | недостатньо | заблоковано | заборонено |
        немає (?:місць|доступу|прав|в наявності)
    """,
    "Vietnamese": r"""
        lỗi | thất bại | không (?:thể|hợp lệ|thành công|tìm thấy|được phép|có quyền|đủ|còn) |
        bị từ chối | bắt buộc |
        hết hạn | hết hàng | đã tồn tại | đã được sử dụng | thử lại | rất tiếc | vượt quá
    """,
    "Indonesian, Malay": r"""
        gagal | kesalahan | ralat |
        tidak (?:dapat|valid|sah|tersedia|ditemukan|diizinkan|cukup|bisa|berhasil) | ditolak |
        wajib | kedaluwarsa | sudah (?:ada|digunakan|terpakai|dipesan|terdaftar) | coba lagi |
        maaf | habis | penuh
    """,
}
"""Regular expressions for whole words, separated by ` | `."""
ERROR_PARTS = {
    "Japanese": """
        再試行 | エラー | 失敗 | 無効 | 拒否 | できません | 必須 | 期限切れ |
        期限が切れ | 見つかりません | もう一度 | 不正 |
        入力してください | 選択してください | 売り切れ | 在庫切れ | できませんでした |
        (?:在庫|空き|権限|残高)が(?:ありません|不足) | 使用されています | 使われています | 既に | すでに | 満席 |
        満員 | 上限に | 上限を | 別の.{0,12}(?:選|入力|お試し) | 許可されていません | いただけません | 申し訳 |
        ログインしてください | ログインが必要 | 残高不足
    """,
    "Chinese": """
        重试 | 错误 | 失败 | 无效 | 被拒绝 | 拒绝 | 无法 | 不能为空 | 必填 | 已过期 | 已存在 | 请重试 | 未找到 | 錯誤 |
        無效 | 無法 | 售罄 | 缺货 | 已被(?:占用|使用|注册|预订|锁定) | 已满 | 不足 | 超出 | 超过 | 达到上限 |
        请先登录 | 请选择其他 | 不可用 | 不允许 | 不支持 | 没有权限 | 无权 | 抱歉 | 稍后再试 | 已失效
    """,
    "Korean": """
        오류 | 실패 | 유효하지 | 거부 | 거절 | 할 수 없습니다 | 필수 | 만료 | 이미 | 다시 시도 | 찾을 수 없 |
        잘못된 | 품절 | 부족 | 초과 | 로그인이 필요 | 로그인하세요 | 다른.{0,10}선택 | 불가 | 권한이 없 | 죄송 |
        매진 | 사용할 수 없
    """,
    "Arabic": """
        خطأ | فشل | فشلت | غير صالح | غير صحيح | مرفوض | تم رفض | لا يمكن | تعذر | تعذّر | مطلوب |
        منتهي | انتهت صلاحية |
        حاول مرة أخرى | غير متاح | غير متوفر | نفد | مستخدم بالفعل | محجوز بالفعل | عذر | للأسف
    """,
    "Hebrew": """
        שגיאה | נכשל | לא תקין | לא חוקי | נדחה | לא ניתן | שדה חובה | פג תוקף | כבר קיים |
        כבר תפוס | נסה שוב | נסו שוב |
        מצטערים | לצערנו | אזל | לא זמין | אין הרשאה
    """,
    "Hindi": """
        त्रुटि | विफल | अमान्य | अस्वीकार | नहीं (?:हो सका|हो सकी|किया जा सका|मिला|है) | अनिवार्य |
        समाप्त हो | पहले से | फिर से प्रयास |
        पुनः प्रयास | क्षमा | उपलब्ध नहीं
    """,
    "Thai": """
        ข้อผิดพลาด | ผิดพลาด | ล้มเหลว | ไม่สำเร็จ | ไม่ถูกต้อง | ถูกปฏิเสธ | ไม่สามารถ |
        จำเป็นต้อง | หมดอายุ | มีอยู่แล้ว | ถูกใช้แล้ว |
        ลองอีกครั้ง | ขออภัย | หมดแล้ว | เต็มแล้ว | ไม่ว่าง
    """,
}
"""Regular expressions for languages without spaces between words, found anywhere."""
