package com.example.kotlin

import io.rdmarpc.annotation.RdmaMethod
import io.rdmarpc.annotation.RdmaService
import org.springframework.stereotype.Component

@JvmRecord
data class Level(val item: String, val available: Int)

@RdmaService
interface Stock {

    @RdmaMethod(timeout = "10s")
    fun level(item: String): Level
}

@Component
class Warehouse : Stock {

    override fun level(item: String) = Level(item, item.length)
}
